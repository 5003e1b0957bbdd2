#pragma once

#include <QObject>
#include <QTimer>
#include <functional>
#include <memory>

#include "app/gui/projects/project_keeper.h"
#include "app/gui/projects/project_opener.h"
#include "app/gui/projects/window_state.h"

namespace quantscope {

/// The project files of a window: keeps and names the user's work, opens and offers kept work, and
/// reports failures.
class ProjectController : public QObject {
  Q_OBJECT

 public:
  /// The parts of the window that it uses; all of it outlives it.
  struct Parts {
    Session& session;
    WindowViews& views;
    WindowLayout& layout;
    Comparison& comparison;
    MessageBar& messages;
    std::shared_ptr<Dialogs> dialogs;
    QWidget* window;
    /// What running work would lose, as a sentence; empty = nothing.
    std::function<QString()> atStake;
  };

  explicit ProjectController(const Parts& parts);
  /// Closes the open work.
  ~ProjectController() override;

  /// A project of the user's, or unsaved work.
  void open(const QString& file);
  /// Asks for a name where there is none.
  void save();
  void saveAs();
  void saveAs(const QString& file);
  /// False where work would be lost that the user does not give up.
  bool mayLeave();
  /// Offers the last work of a window that came to a sudden end; its list is findUnsavedWork().
  void offerCrashed();
  /// Returns to the work that was closed last, because later work could not be opened.
  void goBack();
  /// Asks before.
  void discardUnsaved();

  const ProjectKeeper& keeper() const { return m_keeper; }
  /// More was measured that a project keeps.
  void keepMeasured() { m_keeper.keepMeasured(); }
  /// "work – net.onnx", to be marked where there is unsaved work.
  QString title() const;

 Q_SIGNALS:
  /// title(), or whether there is unsaved work in the window.
  void titleChanged();
  /// findUnsavedWork() may be different.
  void unsavedWorkChanged();

 private:
  void connectKeeper();
  void discard(const QString& file);
  void tellFailure();
  void tellSavingFailed(const QString& path, const Error& error);
  void noteClosed(const QString& file, const QString& model, bool unsaved);
  void tellUnsavedLater();

  Parts m_parts;
  ProjectKeeper m_keeper;
  ProjectOpener m_opener;
  WindowState m_state;
  QTimer m_stateTimer;  // until the state of the window is noted
  QString m_closed;     // the work before this
};

}  // namespace quantscope
