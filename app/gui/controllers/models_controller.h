#pragma once

#include <QObject>

#include "app/gui/session.h"
#include "app/gui/window/dialogs.h"
#include "dialog_job.h"
#include "jobs/compare/compare_files.h"
#include "widgets/models/models_window.h"
#include "widgets/shell/message_bar.h"

namespace quantscope {

/// Compares the model of a session with another one, or with dumps of a device, in a window of its
/// own.
class ModelsController : public QObject {
  Q_OBJECT

 public:
  /// The session and the bar outlive it.
  ModelsController(Session& session, std::shared_ptr<Dialogs> dialogs, MessageBar& messages,
                   QWidget* window);

  /// There is a model with samples to run.
  bool canCompare() const;
  /// Asks which, and compares.
  void compareWithModel();
  void compareWithDumps();
  /// A model's file, or a folder of dumps.
  void compareWith(const std::filesystem::path& other);
  /// The window of the newest comparison; null where there is none.
  ModelsWindow* comparison() const { return m_job.dialog(); }

 private:
  struct Found {
    ComparedFiles files;
    ComparedSnapshots snapshots;
  };

  void run();
  static Found compare(const SnapshotPtr& of, const std::filesystem::path& other,
                       const NamedMatches& byHand, JobContext& job);
  void match(const QString& first, const QString& second);
  void save();

  Session& m_session;
  std::shared_ptr<Dialogs> m_dialogs;
  MessageBar& m_messages;
  QWidget* m_window;
  DialogJob<ModelsWindow> m_job;
  SnapshotPtr m_of;  // subject of the comparison
  std::filesystem::path m_other;
  NamedMatches m_byHand;
  std::optional<ComparedFiles> m_found;
};

}  // namespace quantscope
