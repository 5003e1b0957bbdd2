#pragma once

#include <QObject>
#include <optional>
#include <utility>

#include "dialog_job.h"
#include "dialogs.h"
#include "session.h"
#include "widgets/export/export_dialog.h"

namespace quantscope {

/// Writes what is shown for other tools, in the background.
class ExportController : public QObject {
  Q_OBJECT

 public:
  /// The session outlives it.
  ExportController(Session& session, std::shared_ptr<Dialogs> dialogs, QWidget* window);
  /// There is a complete result of the configuration that is asked for.
  bool canExport() const;
  /// Asks what is to be written, and where.
  void open();
  /// How the last model that was written of this configuration agrees with what was shown; nothing
  /// where none was.
  std::optional<std::string> exported(const Configuration& config) const;

 Q_SIGNALS:
  void modelWritten();

 private:
  void check(const std::string& format);
  void write(const ExportRequest& request);
  void writeReport(const ExportRequest& request);
  void noteWritten(const Configuration& config, const ExportReport& report);

  Session& m_session;
  std::shared_ptr<Dialogs> m_dialogs;
  QWidget* m_window;
  DialogJob<ExportDialog> m_job;
  SnapshotPtr m_shown;  // subject of the dialog
  std::optional<std::pair<Configuration, std::string>> m_written;
};

}  // namespace quantscope
