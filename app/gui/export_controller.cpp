#include "export_controller.h"

#include <QDir>
#include <algorithm>
#include <atomic>
#include <utility>

#include "error_message.h"
#include "jobs/explain_errors.h"
#include "jobs/export_report.h"
#include "jobs/work_done.h"
#include "widgets/look/text.h"

namespace quantscope {

ExportController::ExportController(Session& session, std::shared_ptr<Dialogs> dialogs,
                                   QWidget* window)
    : QObject(window),
      m_session(session),
      m_queue(session.queue()),
      m_dialogs(std::move(dialogs)),
      m_window(window) {
  static std::atomic<int> controllers{0};
  m_tag.name = "export " + std::to_string(++controllers);
}

ExportController::~ExportController() {
  m_queue->stop(m_tag);
}

bool ExportController::canExport() const {
  const SnapshotPtr& shown = m_session.snapshot();
  return shown && shown->stage == AnalysisSnapshot::Stage::Complete && !m_session.stale();
}

void ExportController::open() {
  if (!canExport()) return;
  m_shown = m_session.snapshot();
  const std::filesystem::path& model = m_shown->model.file;
  m_dialog = new ExportDialog(text(model.stem().string()),
                              QDir::current().absoluteFilePath(text(model.parent_path().string())),
                              m_window);
  m_dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(m_dialog, &ExportDialog::checkRequested, this, &ExportController::check);
  connect(m_dialog, &ExportDialog::exportRequested, this, &ExportController::write);
  connect(m_dialog, &ExportDialog::cancelRequested, this, [this] { m_queue->cancel(m_tag); });
  connect(m_dialog, &ExportDialog::folderRequested, this,
          [this](const QString& folder) { m_dialogs->openFolder(folder); });
  connect(m_dialog, &QDialog::finished, this, [this] { m_shown.reset(); });
  m_dialog->open();
  check(m_dialog->request().format);
}

void ExportController::check(const std::string& format) {
  start([this, shown = m_shown, format](JobContext&) {
    const ExportLosses losses =
        findExportLosses(shown->model, shown->request.config, *shown->quantized,
                         {.format = format, .out = {}, .opset = std::nullopt});
    tell([format, losses](ExportDialog& dialog) { dialog.showLosses(format, losses); });
  });
}

void ExportController::write(const ExportRequest& request) {
  const auto& reports = reportFormats();
  if (std::ranges::find(reports, request.format) != reports.end()) return writeReport(request);
  start([this, shown = m_shown, request](JobContext& job) {
    const ExportReport report = exportModel(shown->model, shown->request.config, *shown->quantized,
                                            *shown->data, request, job);
    tell([this, report, shown](ExportDialog& dialog) {
      dialog.showReport(report);
      noteWritten(shown->request.config, report);
    });
  });
}

void ExportController::writeReport(const ExportRequest& request) {
  start([this, shown = m_shown, document = m_session.document(), request,
         exported = exported(m_shown->request.config),
         &memory = m_queue->memory()](JobContext& job) {
    const SnapshotPtr explained = explainErrors(shown, memory, job);
    WorkDone work = workDone(*shown, document, memory, job);
    work.exported = exported;
    const ExportReport report = exportReport(*explained, request, job, work);
    tell([report](ExportDialog& dialog) { dialog.showReport(report); });
  });
}

// Of the formats, those that are run beside the simulation say how they agree.
void ExportController::noteWritten(const Configuration& config, const ExportReport& report) {
  if (report.agreement.empty()) return;
  m_written = {config, report.agreement};
  Q_EMIT modelWritten();
}

std::optional<std::string> ExportController::exported(const Configuration& config) const {
  if (!m_written || m_written->first != config) return std::nullopt;
  return m_written->second;
}

void ExportController::start(const Work& work) {
  const auto progress = [this](const Progress& now) {
    tell([now](ExportDialog& dialog) { dialog.showProgress(now); });
  };
  const auto ended = [this](const std::exception_ptr& failure) {
    if (!failure) return;
    if (isCancelled(failure)) {
      return tell([](ExportDialog& dialog) { dialog.showCancelled(); });
    }
    tell([words = failureWords(failure)](ExportDialog& dialog) { dialog.showError(words); });
  };
  m_queue->start(m_tag, {.work = work, .progress = progress, .ended = ended});
}

// On the window's thread, where the dialog is still open.
void ExportController::tell(std::function<void(ExportDialog&)> action) {
  QMetaObject::invokeMethod(this, [this, action = std::move(action)] {
    if (m_dialog) action(*m_dialog);
  });
}

}  // namespace quantscope
