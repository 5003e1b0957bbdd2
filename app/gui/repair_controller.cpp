#include "repair_controller.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "analysis/worst_output.h"
#include "error_message.h"
#include "jobs/request_labels.h"
#include "jobs/run_repair.h"
#include "widgets/look/text.h"

namespace quantscope {

RepairController::RepairController(Session& session, std::shared_ptr<Dialogs> dialogs, Open open,
                                   QWidget* window)
    : QObject(window),
      m_session(session),
      m_queue(session.queue()),
      m_dialogs(std::move(dialogs)),
      m_open(std::move(open)),
      m_window(window) {
  static std::atomic<int> controllers{0};
  m_tag.name = "repair " + std::to_string(++controllers);
}

RepairController::~RepairController() {
  m_queue->stop(m_tag);
}

bool RepairController::canRepair() const {
  const SnapshotPtr& shown = m_session.snapshot();
  return shown && shown->stage == AnalysisSnapshot::Stage::Complete && !m_session.stale();
}

// Those with quantized weights, which is what repairs change.
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
  m_dialog->offerLayers(selectedLayers(), true);
}

void RepairController::open(const std::vector<std::string>& steps) {
  if (!canRepair()) return;
  m_shown = m_session.snapshot();
  m_result.reset();
  m_dialog = new RepairDialog(text(m_shown->result->model), m_window);
  m_dialog->setAttribute(Qt::WA_DeleteOnClose);
  m_dialog->choose(steps);
  m_dialog->offerLayers(selectedLayers(), false);
  connect(m_dialog, &RepairDialog::repairRequested, this, &RepairController::run);
  connect(m_dialog, &RepairDialog::cancelRequested, this, [this] { m_queue->cancel(m_tag); });
  connect(m_dialog, &RepairDialog::openRequested, this, &RepairController::saveAndOpen);
  connect(m_dialog, &QDialog::finished, this, [this] { m_shown.reset(); });
  m_dialog->open();
}

void RepairController::run(const RepairRequest& request) {
  RepairRequest wanted = request;
  wanted.batch = m_shown->request.batch;
  const auto work = [this, shown = m_shown, wanted, &memory = m_queue->memory()](JobContext& job) {
    auto result = std::make_shared<const RepairResult>(
        runRepair(shown->model, shown->request.config, *shown->data, *shown->calibration,
                  labelsOf(shown->request), wanted, memory, job));
    tell([this, result](RepairDialog& dialog) {
      m_result = result;
      dialog.showResult(*result);
    });
  };
  const auto progress = [this](const Progress& now) {
    tell([now](RepairDialog& dialog) { dialog.showProgress(now); });
  };
  const auto ended = [this](const std::exception_ptr& failure) {
    if (!failure) return;
    if (isCancelled(failure)) {
      return tell([](RepairDialog& dialog) { dialog.showCancelled(); });
    }
    tell([words = failureWords(failure)](RepairDialog& dialog) { dialog.showError(words); });
  };
  m_queue->start(m_tag, {.work = work, .progress = progress, .ended = ended});
}

void RepairController::saveAndOpen() {
  if (!m_result || !m_shown || !m_dialog) return;
  const std::filesystem::path& model = m_shown->model.file;
  const QString folder = m_dialogs->chooseRepaired(m_dialog, text(model.parent_path().string()));
  if (folder.isEmpty()) return;
  const std::filesystem::path out = folder.toStdString();
  try {
    JobContext job(m_queue->workers(JobTag::Priority::Edit));
    writeRepair(*m_result, out, job);
    AnalysisRequest request = m_shown->request;
    request.model = out / "model.onnx";
    request.config = readConfiguration(out / "config.json");
    m_open(request, tr("Errors here are measured against the repaired float model. Against the "
                       "original model the worst output has %1 dB.")
                        .arg(shortText(worstDecibels(m_result->endAll))));
    m_dialog->accept();
  } catch (const Error& error) {
    m_dialog->showError(text(error.what()));
  }
}

// On the window's thread, where the dialog is still open.
void RepairController::tell(std::function<void(RepairDialog&)> action) {
  QMetaObject::invokeMethod(this, [this, action = std::move(action)] {
    if (m_dialog) action(*m_dialog);
  });
}

}  // namespace quantscope
