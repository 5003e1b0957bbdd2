#pragma once

#include <QObject>
#include <optional>
#include <utility>

#include "app/gui/session.h"
#include "app/gui/window/dialogs.h"
#include "dialog_job.h"
#include "widgets/export/export_dialog.h"

namespace quantscope {

/// Exports the shown model for other tools, in the background.
class ExportController : public QObject {
  Q_OBJECT

 public:
  /// The session outlives it.
  ExportController(Session& session, std::shared_ptr<Dialogs> dialogs, QWidget* window);
  /// There is a complete result of the configuration that is asked for.
  bool canExport() const;
  /// Asks for the format and the place.
  void open();
  /// The agreement of the last exported model of this configuration with the simulation; nullopt if
  /// none was exported.
  std::optional<std::string> exported(const Configuration& config) const;

 Q_SIGNALS:
  void modelWritten();

 private:
  void check(const ExportRequest& request);
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
