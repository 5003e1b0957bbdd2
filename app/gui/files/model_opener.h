#pragma once

#include <QObject>
#include <functional>
#include <memory>

#include "app/gui/session.h"
#include "app/gui/window/dialogs.h"
#include "command_line.h"
#include "data_of_model.h"
#include "widgets/shell/message_bar.h"

namespace quantscope {

/// Opens models and data in a session, from a dialog, a drop, the list of recent models or the
/// command line, and reports the outcome.
class ModelOpener : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  ModelOpener(Session& session, MessageBar& messages, std::shared_ptr<Dialogs> dialogs,
              QWidget* window);

  /// False where the work of now would be lost, and is not given up.
  void setLeaving(std::function<bool()> mayLeave) { m_mayLeave = std::move(mayLeave); }
  /// A model, or data for the open one.
  void openPath(const QString& path);
  void openModel(const QString& path);
  /// Opens the model and data of the command line; data that it does not name is searched.
  void openCommandLine(const CommandLine& line);
  void askForModel();
  void askForData();
  /// The data dialog needs a loaded model.
  bool canAskForData() const;
  bool canOpen(const QString& path) const;

 Q_SIGNALS:
  /// The user has dropped a configuration or what another tool has made.
  void importChosen(const QString& path);
  /// The user has chosen a project, which this class does not open.
  void projectChosen(const QString& path);
  /// The model that was shown before is shown again, since another one could not be opened.
  void fellBack();

 private:
  void askAbout(const AnalysisRequest& start);
  void useData(const AnalysisRequest& request);
  void tellOrigin(const QString& data);
  void inviteData();
  void fail(const Error& error);
  void showNode(const std::string& node);
  void openProposed(const ProposedRequest& proposed);
  void noteSuccess();
  void noteData(const AnalysisRequest& request);

  Session& m_session;
  MessageBar& m_messages;
  std::shared_ptr<Dialogs> m_dialogs;
  QWidget* m_window;
  AnalysisRequest m_remembered;  // whose data it was
  std::function<bool()> m_mayLeave = [] { return true; };
};

}  // namespace quantscope
