#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <memory>
#include <optional>

#include "app/gui/session.h"
#include "project/project_file.h"

namespace quantscope {

/// A project that a window has open. Only the ordered work touches it, but for the window's
/// changes, which the file takes from any thread.
struct OpenProject {
  std::shared_ptr<ProjectFile> file = {};
  std::string windowState = {};  ///< as it was when the file was opened
  bool readOnly = false;
};

/// Keeps all that is done in a session in a file, as it happens: in the project that the user has
/// named, else, from the first edit on, among the unsaved work. Nothing here waits for a disk.
class ProjectKeeper : public QObject {
  Q_OBJECT

 public:
  /// The session outlives it.
  explicit ProjectKeeper(Session& session, QObject* parent = nullptr);
  /// After close().
  ~ProjectKeeper() override;

  /// The user's project; empty while the work has no name.
  const QString& path() const { return m_name; }
  /// There is work that has no name, or that cannot be written.
  bool unsaved() const;
  /// Every edit is on disk; false also while the file is made.
  bool written() const { return m_file && !m_file->unsaved(); }
  /// Why not all is on disk; nothing where it is, or will be in a moment.
  const std::optional<Error>& failure() const { return m_failure; }

  /// Lets a file that is open tell this of its writing, once it is taken up.
  ProjectFile::WriteStateSink sinkOf(const std::weak_ptr<OpenProject>& project);
  /// Goes on with the work of `project`, in the place of what there was. `name`: see path().
  void takeUp(const std::shared_ptr<OpenProject>& project, const QString& name,
              const Document& document, Session::Resumed what);
  /// Shows the work of the open project again, with other files.
  void resume(const Document& document, Session::Resumed what);
  /// Gives the work a name; it goes on there.
  void saveAs(const QString& path);
  /// Says when all is on disk, or why it is not.
  void save();
  /// More was measured: writes it with the results, after a pause.
  void keepMeasured();
  /// Writes all that is to be written and lets go of the file, in the background.
  void close();
  /// The complete result that is compared with, where that has a name; null = none. It is written
  /// with the next results.
  void setCompared(const SnapshotPtr& compared);
  /// What the window remembers of itself, written with the next work.
  void setWindowState(const std::string& state);
  const std::string& windowState() const { return m_windowState; }

 Q_SIGNALS:
  /// path() or unsaved().
  void changed();
  /// The last moment to say what the window remembers.
  void ending();
  /// What was open is closed, and kept in a file; `unsaved`: among the work without a name.
  void closed(const QString& file, const QString& model, bool unsaved);
  void saved(const QString& path);
  void savingFailed(const QString& path, const quantscope::Error& error);
  /// Writing begins to fail, or works again.
  void failureChanged();
  /// The user's project can only be read: what is changed from now on is kept without a name.
  void keptBeside(const QString& path);

 private:
  void follow();
  void keepUnsaved();
  void keepBeside();
  void create(const QString& file, std::function<void()> then);
  void moveTo(const QString& file, std::function<void()> then);
  void remove(const QString& file);
  void noteFailure(const std::optional<Error>& failure);
  /// What a file is to hold of what was measured.
  struct Results {
    SnapshotPtr shown;
    SnapshotPtr before;
    SnapshotPtr compared;
    friend bool operator==(const Results&, const Results&) = default;
  };
  struct Keeping;

  void keepResults();
  Results results() const;
  static void write(const Results& results, const DocumentFiles& files,
                    const AnalysisMemory& memory, ProjectFile& file);
  std::function<void(ProjectFile&)> lastWork() const;

  Session& m_session;
  JobTag m_results;
  QTimer m_pause;  // until what was found out is written
  std::shared_ptr<OpenProject> m_project;
  std::shared_ptr<ProjectFile> m_file;  // once it is open
  QString m_name;
  QString m_unsaved;  // the file of work without a name
  std::string m_windowState;
  SnapshotPtr m_compared;
  std::shared_ptr<Keeping> m_keeping;  // that the file has, or will have
  std::optional<Error> m_failure;
  std::optional<Document> m_onlyRead;  // of a project that cannot be written
  bool m_takingUp = false;
};

}  // namespace quantscope
