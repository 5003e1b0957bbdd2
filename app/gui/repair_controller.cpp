#include "repair_controller.h"

#include <algorithm>
#include <utility>

#include "analysis/worst_output.h"
#include "jobs/request_labels.h"
#include "jobs/run_repair.h"
#include "widgets/look/text.h"

namespace quantscope {

RepairController::RepairController(Session& session, std::shared_ptr<Dialogs> dialogs, Open open,
                                   QWidget* window)
    : QObject(window),
      m_session(session),
      m_dialogs(std::move(dialogs)),
      m_open(std::move(open)),
      m_window(window),
      m_job(session.queue(), "repair") {}

bool RepairController::canRepair() const {
  const SnapshotPtr& shown = m_session.snapshot();
  return shown && shown->stage == AnalysisSnapshot::Stage::Complete && !m_session.stale();
}

// The selected layers with quantized weights, the ones that repairs change.
std::vector<std::string> RepairController::selectedLayers() const {
  std::vector<std::string> names;
  const SnapshotPtr& shown = m_session.snapshot();
  if (!shown) return names;
  const std::vector<NodeId> nodes = m_session.selection().current().nodes();
  for (const LayerResult& layer : shown->result->layers) {
    if (!layer.weight || layer.weight->type == QuantType::Float32) continue;
    if (std::ranges::find(nodes, layer.node) != nodes.end()) names.push_back(layer.name);
  }
  return names;
}

void RepairController::openSelected() {
  if (!canRepairSelected()) return;
  open();
  m_job.dialog()->offerLayers(selectedLayers(), true);
}

void RepairController::open(const std::vector<std::string>& steps) {
  if (!canRepair()) return;
  m_shown = m_session.snapshot();
  m_result.reset();
  auto* dialog = new RepairDialog(text(m_shown->result->model), m_window);
  m_job.take(dialog);
  dialog->choose(steps);
  dialog->offerLayers(selectedLayers(), false);
  connect(dialog, &RepairDialog::repairRequested, this, &RepairController::run);
  connect(dialog, &RepairDialog::openRequested, this, &RepairController::saveAndOpen);
  connect(dialog, &QDialog::finished, this, [this] { m_shown.reset(); });
  dialog->open();
}

void RepairController::run(const RepairRequest& request,
                           const std::shared_ptr<TrainingRun>& training) {
  training->settings.onPoint = [this](const TrainingPoint& point) {
    m_job.tell([point](RepairDialog& dialog) { dialog.showLoss(point); });
  };
  if (request.seconds) training->endIn(*request.seconds);
  RepairRequest wanted = request;
  wanted.batch = m_shown->request.batch;
  m_job.start([this, shown = m_shown, wanted, training,
               &memory = m_session.queue()->memory()](JobContext& job) {
    training->labels = labelsOf(shown->request);
    auto result = std::make_shared<const RepairResult>(
        runRepair(shown->model, shown->request.config, *shown->data, *shown->calibration,
                  training->labels, wanted, memory, job));
    m_job.tell([this, result](RepairDialog& dialog) {
      m_result = result;
      dialog.showResult(*result);
    });
  });
}

void RepairController::saveAndOpen() {
  RepairDialog* dialog = m_job.dialog();
  if (!m_result || !m_shown || dialog == nullptr) return;
  const std::filesystem::path& model = m_shown->model.file;
  const QString folder = m_dialogs->chooseRepaired(dialog, text(model.parent_path().string()));
  if (folder.isEmpty()) return;
  const std::filesystem::path out = folder.toStdString();
  try {
    JobContext job(m_session.queue()->workers(JobTag::Priority::Edit));
    writeRepair(*m_result, out, job);
    AnalysisRequest request = m_shown->request;
    request.model = out / "model.onnx";
    request.config = readConfiguration(out / "config.json");
    m_open(request, tr("Errors here are measured against the repaired float model. Against the "
                       "original model the worst output has %1 dB.")
                        .arg(shortText(worstDecibels(m_result->endAll))));
    dialog->accept();
  } catch (const Error& error) {
    dialog->showError(text(error.what()));
  }
}

}  // namespace quantscope
