#include "export_controller.h"

#include <QDir>
#include <algorithm>
#include <utility>

#include "jobs/analysis/explain_errors.h"
#include "jobs/export/export_report.h"
#include "jobs/repair/repeat_repairs.h"
#include "jobs/work_done.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

bool keepsRepairs(const DecidedRepairs& decided, const Configuration& config) {
  return areOf(decided, config) && std::ranges::any_of(decided.steps, &DecidedStep::kept);
}

}  // namespace

ExportController::ExportController(Session& session, std::shared_ptr<Dialogs> dialogs,
                                   QWidget* window)
    : QObject(window),
      m_session(session),
      m_dialogs(std::move(dialogs)),
      m_window(window),
      m_job(session.queue(), "export") {}

bool ExportController::canExport() const {
  return m_session.settled();
}

void ExportController::open() {
  if (!canExport()) return;
  m_shown = m_session.snapshot();
  const std::filesystem::path& model = m_shown->model.file;
  auto* dialog = new ExportDialog(
      text(model.stem().string()),
      QDir::current().absoluteFilePath(text(model.parent_path().string())), m_window);
  m_job.take(dialog);
  if (keepsRepairs(m_session.document().repairs(), m_shown->request.config)) {
    dialog->setNotice(
        tr("The repairs that you have kept are not in what is exported: it is the model as all "
           "views but Repair show it. To export the repaired one, choose Save and Open… in the tab "
           "Repair, and export it from its own window."));
  }
  connect(dialog, &ExportDialog::checkRequested, this, &ExportController::check);
  connect(dialog, &ExportDialog::exportRequested, this, &ExportController::write);
  connect(dialog, &ExportDialog::folderRequested, this,
          [this](const QString& folder) { m_dialogs->openFolder(folder); });
  connect(dialog, &QDialog::finished, this, [this] { m_shown.reset(); });
  dialog->open();
  check(dialog->request());
}

void ExportController::check(const ExportRequest& request) {
  m_job.start([this, shown = m_shown, request](JobContext&) {
    const ExportLosses losses = findExportLosses(shownModel(*shown), request);
    m_job.tell([request, losses](ExportDialog& dialog) { dialog.showLosses(request, losses); });
  });
}

void ExportController::write(const ExportRequest& request) {
  if (isReportFormat(request.format)) return writeReport(request);
  m_job.start([this, shown = m_shown, request](JobContext& job) {
    const ExportReport report = exportModel(shownModel(*shown), *shown->data, request, job);
    m_job.tell([this, report, shown](ExportDialog& dialog) {
      dialog.showReport(report);
      noteWritten(shown->request.config, report);
    });
  });
}

void ExportController::writeReport(const ExportRequest& request) {
  m_job.start([this, shown = m_shown, document = m_session.document(), request,
               exported = exported(m_shown->request.config),
               &memory = m_session.queue()->memory()](JobContext& job) {
    const SnapshotPtr explained = explainErrors(shown, memory, job);
    WorkDone work = workDone(*shown, document, memory, job);
    work.exported = exported;
    const ExportReport report = exportReport(*explained, request, job, work);
    m_job.tell([report](ExportDialog& dialog) { dialog.showReport(report); });
  });
}

// Remembers the agreement with the simulation, for formats that can be run.
void ExportController::noteWritten(const Configuration& config, const ExportReport& report) {
  if (report.agreement.empty()) return;
  m_written = {config, report.agreement};
  Q_EMIT modelWritten();
}

std::optional<std::string> ExportController::exported(const Configuration& config) const {
  if (!m_written || m_written->first != config) return std::nullopt;
  return m_written->second;
}

}  // namespace quantscope
