#include "repair_controller.h"

#include <algorithm>
#include <utility>

#include "analysis/worst_output.h"
#include "comparison.h"
#include "jobs/request_labels.h"
#include "jobs/run_repair.h"
#include "widgets/look/text.h"
#include "window_views.h"
#include "work_checkpoint.h"

namespace quantscope {
namespace {

// What was decided before these is forgotten: each holds a model.
constexpr std::size_t kMostDecisions = 6;

}  // namespace

RepairController::RepairController(Session& session, WindowViews& views, Comparison& comparison,
                                   std::shared_ptr<Dialogs> dialogs, Open open, QWidget* window)
    : QObject(window),
      m_session(session),
      m_views(views),
      m_view(views.repair()),
      m_comparison(comparison),
      m_dialogs(std::move(dialogs)),
      m_open(std::move(open)),
      m_job(session.queue(), "repair", JobTag::Priority::Sweep) {
  m_job.watch(&m_view);
  connect(&m_view, &RepairView::repairRequested, this, &RepairController::repair);
  connect(&m_view, &RepairView::decided, this, &RepairController::decide);
  // Only once somebody looks, since it may take as long as the repair did; again only when asked
  // to: what was begun for this result was cancelled.
  connect(&m_view, &RepairView::seen, this, [this] {
    if (!isCurrent()) repeat();
  });
  connect(&m_view, &RepairView::undoRequested, this, [this] { go(m_place - 1); });
  connect(&m_view, &RepairView::redoRequested, this,
          [this] { canRepeat() ? repeat() : go(m_place + 1); });
  connect(&m_view, &RepairView::ended, this, &RepairController::show);
  connect(&m_view, &RepairView::compareRequested, this, &RepairController::compare);
  connect(&m_view, &RepairView::openRequested, this, &RepairController::saveAndOpen);
  connect(&session.controller(), &AnalysisController::snapshotChanged, this,
          &RepairController::follow);
  connect(&session, &Session::requestChanged, this, &RepairController::follow);
  connect(&session.selection(), &Selection::changed, this,
          [this] { m_view.offerLayers(selectedLayers()); });
  connect(&session, &Session::documentEnding, this, [this] {
    m_job.drop();
    forget();
    m_base.reset();
    show();
  });
  follow();
}

bool RepairController::canRepair() const {
  const SnapshotPtr& shown = m_session.snapshot();
  return shown && shown->stage == AnalysisSnapshot::Stage::Complete && !m_session.stale();
}

// What was repaired is what is shown, whatever detectors have found in it since.
bool RepairController::isCurrent() const {
  const SnapshotPtr& shown = m_session.snapshot();
  return m_base && shown && shown->model.engine == m_base->model.engine &&
         shown->data == m_base->data && shown->quantized == m_base->quantized;
}

// Another configuration has repairs of its own; those of this one come back with it.
void RepairController::follow() {
  m_view.setPossible(canRepair());
  m_view.offerLayers(selectedLayers());
  if (!m_view.busy()) show();
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

void RepairController::open(const std::vector<std::string>& steps) {
  if (!canRepair()) return;
  if (!steps.empty()) m_view.choose(steps);
  m_views.raiseRepair();
}

void RepairController::openSelected() {
  if (!canRepairSelected()) return;
  m_view.changeOnlyThese();
  open();
}

void RepairController::repair() {
  auto training = std::make_shared<TrainingRun>();
  const RepairRequest wanted = m_view.request(training);
  run(training,
      [wanted, shown = m_session.snapshot()](const RepairRequest& limits, const Labels& labels,
                                             AnalysisMemory& memory, JobContext& job) {
        RepairRequest request = wanted;
        request.batch = limits.batch;
        request.known = limits.known;
        return runRepair(*shown, labels, request, memory, job);
      });
}

void RepairController::decide(const StepDecision& decision) {
  auto training = std::make_shared<TrainingRun>();
  const auto before = isCurrent() && m_place > 0 ? m_decided[m_place - 1].result : nullptr;
  run(training, [decision, before, all = allRecipeSteps(training), shown = m_session.snapshot()](
                    const RepairRequest& limits, const Labels& labels, AnalysisMemory& memory,
                    JobContext& job) {
    return decideStep(*shown, before.get(), decision, all, limits, labels, memory, job);
  });
}

bool RepairController::canRepeat() const {
  const bool there = isCurrent() && m_place > 0;
  return canRepair() && !there && areOf(m_session.document().repairs(), m_session.request().config);
}

void RepairController::repeat() {
  if (!canRepeat() || m_view.busy()) return;
  const DecidedRepairs decided = m_session.document().repairs();
  m_view.showBusy(tr("Repeating the repairs that the project keeps…"));
  auto training = std::make_shared<TrainingRun>();
  const auto work = [decided, training, shown = m_session.snapshot()](
                        const RepairRequest& limits, const Labels& labels, AnalysisMemory& memory,
                        JobContext& job) {
    return repeatRepairs(*shown, decided, training, limits, labels, memory, job);
  };
  run(training, work, decided);
}

void RepairController::run(const std::shared_ptr<TrainingRun>& training, const Run& work,
                           const std::optional<DecidedRepairs>& decided) {
  if (!canRepair()) return m_view.showCancelled();
  if (!isCurrent()) forget();
  m_base = m_session.snapshot();
  RepairRequest limits;
  limits.seconds = m_view.request().seconds;
  limits.batch = m_base->request.batch;
  for (const Repaired& each : m_decided) {
    if (each.result->course) limits.known.push_back(each.result->course);
  }
  training->settings.onPoint = [this](const TrainingPoint& point) {
    m_job.tell([point](RepairView& view) { view.showLoss(point); });
  };
  if (limits.seconds) training->endIn(*limits.seconds);
  training->settings.checkpoint = std::make_shared<WorkCheckpoint>(
      m_session.document().repairs().unfinished.bytes, [this](const WorkCheckpoint::Bytes& bytes) {
        m_job.tell([this, bytes](RepairView&) { keepCheckpoint(bytes); });
      });
  const DecidedRepairs before = m_place > 0 ? m_decided[m_place - 1].decided : DecidedRepairs();
  m_job.start([this, shown = m_base, limits, training, work, decided, before,
               &memory = m_session.queue()->memory()](JobContext& job) {
    training->labels = labelsOf(shown->request);
    const auto result =
        std::make_shared<const RepairResult>(work(limits, training->labels, memory, job));
    const SnapshotPtr snapshot = repairedSnapshot(*shown, *result, memory, job);
    const Repaired repaired{
        result, snapshot, decided ? *decided : decidedRepairs(*shown, *result, *training, before)};
    const bool trained = training->report && !training->settings.onlyKnown;
    m_job.tell([this, shown, repaired, trained](RepairView&) {
      if (shown != m_base) return;
      if (trained) keepCheckpoint(nullptr);
      take(repaired);
    });
  });
}

void RepairController::forget() {
  m_decided.clear();
  m_place = 0;
  m_forgotten = false;
}

void RepairController::take(const Repaired& repaired) {
  const bool follows = isCompared();
  m_decided.resize(m_place);
  m_decided.push_back(repaired);
  if (m_decided.size() > kMostDecisions) {
    m_decided.erase(m_decided.begin());
    m_forgotten = true;
  }
  m_place = m_decided.size();
  keep();
  show();
  if (follows) compare();
}

void RepairController::go(std::size_t place) {
  if (place > m_decided.size()) return;
  const bool follows = isCompared();
  m_place = place;
  keep();
  show();
  if (follows) compare();
}

void RepairController::keep() {
  DecidedRepairs kept = m_place == 0 ? DecidedRepairs{} : m_decided[m_place - 1].decided;
  kept.unfinished = m_session.document().repairs().unfinished;
  m_session.setRepairs(kept);
}

void RepairController::keepCheckpoint(const std::shared_ptr<const std::string>& bytes) {
  DecidedRepairs kept = m_session.document().repairs();
  kept.unfinished = {bytes};
  m_session.setRepairs(kept);
  m_view.setTrainingWaits(bytes != nullptr);
}

bool RepairController::isCompared() const {
  const SnapshotPtr compared = m_comparison.snapshot();
  return compared && std::ranges::any_of(m_decided, [&](const Repaired& each) {
           return each.snapshot == compared;
         });
}

void RepairController::show() {
  m_view.setTrainingWaits(m_session.document().repairs().unfinished.bytes != nullptr);
  RepairShown shown;
  if (isCurrent()) {
    shown.canUndo = m_place > (m_forgotten ? 1 : 0);
    shown.canRedo = m_place < m_decided.size();
  }
  shown.canRedo = shown.canRedo || canRepeat();
  if (isCurrent() && m_place > 0) {
    shown.result = m_decided[m_place - 1].result;
    shown.repaired = m_decided[m_place - 1].snapshot;
    shown.before = m_base;
  }
  if (m_view.busy() || !(shown == m_view.shown())) m_view.setShown(shown);
}

void RepairController::compare() {
  const SnapshotPtr& repaired = m_view.shown().repaired;
  if (!repaired) return m_comparison.choose({});
  m_comparison.previewResult(repaired, tr("Repaired"));
}

void RepairController::saveAndOpen() {
  const RepairShown shown = m_view.shown();  // the dialog lets others in
  if (!shown.result || !shown.before) return;
  const std::filesystem::path& model = shown.before->model.file;
  const QString folder = m_dialogs->chooseRepaired(&m_view, text(model.parent_path().string()));
  if (folder.isEmpty()) return;
  m_view.showBusy(tr("Writing the repaired model…"));
  m_job.start([this, result = shown.result, repaired = shown.before->request,
               out = std::filesystem::path(folder.toStdString())](JobContext& job) mutable {
    writeRepair(*result, out, job);
    repaired.model = out / "model.onnx";
    repaired.config = readConfiguration(out / "config.json");
    m_job.tell([this, result, repaired](RepairView&) {
      show();
      m_open(repaired, tr("Errors here are measured against the repaired float model. Against the "
                          "original model the worst output has %1 dB.")
                           .arg(shortText(worstDecibels(result->endAll))));
    });
  });
}

}  // namespace quantscope
