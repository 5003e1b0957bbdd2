#pragma once

#include <QObject>
#include <memory>

#include "app/gui/projects/project_keeper.h"
#include "app/gui/window/dialogs.h"
#include "widgets/shell/message_bar.h"

namespace quantscope {

/// Opens projects in a window, and reports which of their files have changed.
class ProjectOpener : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  ProjectOpener(Session& session, ProjectKeeper& keeper, MessageBar& messages,
                std::shared_ptr<Dialogs> dialogs, QWidget* window);
  ~ProjectOpener() override;

  /// Opens a project of the user's, or unsaved work. On failure the open work stays. `goesBack`:
  /// the messages of the window stay, because they are still of interest.
  void open(const QString& file, bool goesBack = false);

 Q_SIGNALS:
  /// Its work is in the session; `name` is empty for unsaved work.
  void opened(const QString& name);

 private:
  struct Arrival;
  void arrive(const Arrival& arrival);
  void tellFiles(const Arrival& arrival);
  void relink(FileRole role, const QString& gone);
  void fail(const QString& file, const Error& error);

  Session& m_session;
  ProjectKeeper& m_keeper;
  MessageBar& m_messages;
  std::shared_ptr<Dialogs> m_dialogs;
  QWidget* m_window;
  std::shared_ptr<Arrival> m_coming;  // the project being opened
};

/// True for the names of projects.
bool looksLikeProject(const QString& path);

}  // namespace quantscope
