#pragma once

#include <QObject>
#include <QPointer>
#include <optional>
#include <utility>

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
  ~ExportController() override;

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
  using Work = std::function<void(JobContext&)>;
  void check(const std::string& format);
  void write(const ExportRequest& request);
  void writeReport(const ExportRequest& request);
  void noteWritten(const Configuration& config, const ExportReport& report);
  void start(const Work& work);
  void tell(std::function<void(ExportDialog&)> action);

  Session& m_session;
  std::shared_ptr<JobQueue> m_queue;
  std::shared_ptr<Dialogs> m_dialogs;
  QWidget* m_window;
  JobTag m_tag;
  SnapshotPtr m_shown;  // that the dialog is about
  std::optional<std::pair<Configuration, std::string>> m_written;
  QPointer<ExportDialog> m_dialog;
};

}  // namespace quantscope
