#include "repair_controller.h"

#include <algorithm>
#include <utility>

#include "analysis/errors/worst_output.h"
#include "app/gui/comparison.h"
#include "app/gui/files/repaired_folder.h"
#include "app/gui/window/window_views.h"
#include "app/gui/work_checkpoint.h"
#include "jobs/repair/run_repair.h"
#include "jobs/request_labels.h"
#include "repair/named_layers.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

// What was decided before these is made again where it is asked for: each holds a model.
constexpr std::size_t kMostKnown = 6;

// The same model, samples and parameters, whatever detectors have found in them since.
bool sameStart(const SnapshotPtr& a, const SnapshotPtr& b) {
  return a && b && a->model.engine == b->model.engine && a->data == b->data &&
         a->quantized == b->quantized;
}

bool hasQuantizedWeight(const LayerResult& layer) {
  return layer.weight && layer.weight->type != QuantType::Float32;
}

// A training that waits is no decision.
DecidedRepairs decisionsOf(const Document& document) {
  DecidedRepairs decided = document.repairs();
  decided.unfinished = {};
  return decided;
}

// The first change of the configuration after the last decision on repairs; empty where there is
// none.
QString firstEditSince(const Document& document) {
  const auto& journal = document.journal();
  std::size_t since = document.position();
  while (since > 0 && !std::holds_alternative<RepairDecision>(journal[since - 1])) --since;
  if (since == 0) return {};
  for (; since < document.position(); ++since) {
    if (changesConfiguration(journal[since])) return text(sentenceOf(journal[since]));
  }
  return {};
}

QString wordsOf(const StepDecision& decision) {
  const QString step = text(decision.step);
  switch (decision.what) {
    case StepDecision::What::Keep:
      return RepairController::tr("keep the repair %1").arg(step);
    case StepDecision::What::Drop:
      return RepairController::tr("drop the repair %1").arg(step);
    default:
      return RepairController::tr("try the repair %1").arg(step);
  }
}

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
  connect(&m_view, &RepairView::stopRequested, this, [this] { m_stop->store(true); });
  // Only once somebody looks, since it may take as long as the repair did; again only when asked
  // to: what was begun for this result was cancelled.
  connect(&m_view, &RepairView::seen, this, [this] {
    if (standing() == nullptr) repeat();
  });
  connect(&m_view, &RepairView::undoRequested, &session.undoStack(), &QUndoStack::undo);
  connect(&m_view, &RepairView::redoRequested, this,
          [this] { canRepeat() ? repeat() : m_session.undoStack().redo(); });
  connect(&m_view, &RepairView::ended, this, &RepairController::show);
  connect(&m_view, &RepairView::compareRequested, this, &RepairController::compare);
  connect(&m_view, &RepairView::openRequested, this, &RepairController::saveAndOpen);
  connect(&m_view, &RepairView::thereRequested, this, &RepairController::goThere);
  connect(&session.controller(), &AnalysisController::snapshotChanged, this,
          &RepairController::follow);
  connect(&session, &Session::requestChanged, this, &RepairController::follow);
  connect(&session, &Session::documentChanged, this, &RepairController::followDocument);
  connect(&session.selection(), &Selection::changed, this, &RepairController::offerLayers);
  connect(&session, &Session::documentEnding, this, [this] {
    m_job.drop();
    m_known.clear();
    m_base.reset();
    m_followed = {};
    m_view.offerLayers({});
    show();
  });
  follow();
}

bool RepairController::canRepair() const {
  return m_session.settled();
}

const RepairController::Repaired* RepairController::standing() const {
  const DecidedRepairs decided = decisionsOf(m_session.document());
  const auto found = std::ranges::find_if(m_known, [&](const Repaired& each) {
    return each.decided == decided && sameStart(each.before, m_session.snapshot());
  });
  return found == m_known.end() ? nullptr : &*found;
}

// In their tab only decisions on repairs are taken back, and taken again.
bool RepairController::isNextStep(std::size_t place) const {
  const auto& journal = m_session.document().journal();
  return place < journal.size() && std::holds_alternative<RepairDecision>(journal[place]);
}

// Steps of any kind may change what stands, and what the next step is.
void RepairController::followDocument() {
  const DecidedRepairs decided = decisionsOf(m_session.document());
  const bool other = decided != std::exchange(m_followed, decided);
  if (m_view.busy()) return;
  const bool follows = other && isCompared();
  show();
  if (follows) compare();
  if (other && m_view.isVisible()) repeat();
}

// Another configuration has repairs of its own; those of this one come back with it.
void RepairController::follow() {
  m_view.setPossible(canRepair());
  offerLayers();
  if (!m_view.busy()) show();
}

// The selected layers with quantized weights, the ones that repairs change.
std::vector<std::string> RepairController::selectedLayers() const {
  std::vector<std::string> names;
  const SnapshotPtr& shown = m_session.snapshot();
  if (!shown) return names;
  const std::vector<NodeId> nodes = m_session.selection().current().nodes();
  for (const LayerResult& layer : shown->result->layers) {
    const bool selected = std::ranges::find(nodes, layer.node) != nodes.end();
    if (selected && hasQuantizedWeight(layer)) names.push_back(layer.name);
  }
  return names;
}

// Another configuration may leave one of them in float.
bool RepairController::areThere(const std::vector<std::string>& layers) const {
  const SnapshotPtr& shown = m_session.snapshot();
  return shown && std::ranges::all_of(layers, [&](const std::string& name) {
           const auto layer = std::ranges::find(shown->result->layers, name, &LayerResult::name);
           return layer != shown->result->layers.end() && hasQuantizedWeight(*layer);
         });
}

void RepairController::offerLayers() {
  const std::vector<std::string>* chosen = m_view.onlyLayers();
  // A result that is not complete may not know it yet.
  const bool stays = chosen != nullptr && (!canRepair() || areThere(*chosen));
  if (!stays) m_view.offerLayers(selectedLayers());
}

void RepairController::open() {
  if (canRepair()) m_views.raiseRepair();
}

void RepairController::openFor(const FittingRepair& repair) {
  if (!canRepair()) return;
  m_view.choose(repair.steps);
  m_view.offerLayers(repair.only.empty() ? selectedLayers() : repair.only);
  m_view.changeOnlyThese(!repair.only.empty());
  m_views.raiseRepair();
}

void RepairController::openForChange(const ConfigEdit& edit) {
  if (!canRepair()) return;
  const AnalysisSnapshot& shown = *m_session.snapshot();
  std::vector<NodeId> nodes;
  for (const ConfigStep& step : edit.steps) {
    if (step.place != ConfigStep::Entry::Node) continue;
    const NodeId node = shown.graph().findNode(step.name);
    if (node.valid()) nodes.push_back(node);
  }
  openFor({{}, repairableLayers(*shown.model.engine, *shown.quantized, nodes)});
}

void RepairController::openSelected() {
  if (!canRepairSelected()) return;
  m_view.offerLayers(selectedLayers());
  m_view.changeOnlyThese();
  open();
}

void RepairController::repair() {
  auto training = std::make_shared<TrainingRun>();
  training->choose(m_view.training());
  const RepairRequest wanted = m_view.request(training);
  run(training, tr("repair the model"),
      [wanted, shown = m_session.snapshot()](const RepairRequest& limits, const Labels& labels,
                                             AnalysisMemory& memory, JobContext& job) {
        RepairRequest request = wanted;
        request.batch = limits.batch;
        request.known = limits.known;
        request.stop = limits.stop;
        return runRepair(*shown, labels, request, memory, job);
      });
}

void RepairController::decide(const StepDecision& decision) {
  auto training = std::make_shared<TrainingRun>();
  const Repaired* now = standing();
  const auto before = now != nullptr ? now->result : nullptr;
  // What was trained stays as it was seen, unless it is tried again.
  const bool keeps = now != nullptr && decision.what != StepDecision::What::Try;
  const DecidedRepairs seen = keeps ? now->decided : DecidedRepairs();
  // It is trained as it was before, unless that is what is tried.
  const bool anew = now == nullptr || (!keeps && decision.step == kTrainingStep);
  training->choose(anew ? m_view.training() : now->decided.training);
  run(training, wordsOf(decision),
      [decision, before, seen, training, shown = m_session.snapshot()](
          const RepairRequest& limits, const Labels& labels, AnalysisMemory& memory,
          JobContext& job) {
        training->settings.known = learnedStates(seen);
        const std::vector<RepairStep> all = allRecipeSteps(training);
        return decideStep(*shown, before.get(), decision, all, limits, labels, memory, job);
      });
}

bool RepairController::canRepeat() const {
  return canRepair() && standing() == nullptr &&
         areOf(m_session.document().repairs(), m_session.request().config);
}

void RepairController::repeat() {
  if (!canRepeat() || m_view.busy()) return;
  const DecidedRepairs decided = decisionsOf(m_session.document());
  m_view.showBusy(tr("Repeating the repairs that the project keeps…"));
  auto training = std::make_shared<TrainingRun>();
  const auto work = [decided, training, shown = m_session.snapshot()](
                        const RepairRequest& limits, const Labels& labels, AnalysisMemory& memory,
                        JobContext& job) {
    return repeatRepairs(*shown, decided, training, limits, labels, memory, job);
  };
  run(training, {}, work, decided);
}

void RepairController::run(const std::shared_ptr<TrainingRun>& training, const QString& what,
                           const Run& work, const std::optional<DecidedRepairs>& decided) {
  if (!canRepair()) return m_view.showCancelled();
  m_base = m_session.snapshot();
  m_baseEdit = m_session.lastEdit();
  m_repeats = decided.has_value();
  m_writes = false;
  RepairRequest limits;
  limits.seconds = m_view.request().seconds;
  limits.batch = m_base->request.batch;
  training->settings.seconds = limits.seconds;  // also of those that are given
  m_stop = std::make_shared<std::atomic<bool>>(false);
  limits.stop = [stop = m_stop] { return stop->load(); };
  for (const Repaired& each : m_known) {
    const bool counts = each.result->course && sameStart(each.before, m_base);
    if (counts) limits.known.push_back(each.result->course);
  }
  training->settings.onPoint = [this](const TrainingPoint& point) {
    m_job.tell([point](RepairView& view) { view.showLoss(point); });
  };
  const TrainingChoices choices = decided ? decided->training : training->choices;
  training->settings.checkpoint = std::make_shared<WorkCheckpoint>(
      m_session.document().repairs().unfinished.bytes,
      [this, choices](const WorkCheckpoint::Bytes& bytes) {
        m_job.tell([this, bytes, choices](RepairView&) { keepCheckpoint({bytes, choices}); });
      });
  const Repaired* now = standing();
  const DecidedRepairs before = now != nullptr ? now->decided : DecidedRepairs();
  m_job.start([this, shown = m_base, limits, training, what, work, decided, before,
               &memory = m_session.queue()->memory()](JobContext& job) {
    const Labels labels = labelsOf(shown->request);
    training->takeLabels(labels, *shown->data, *shown->calibration);
    const auto result = std::make_shared<const RepairResult>(work(limits, labels, memory, job));
    const SnapshotPtr snapshot = repairedSnapshot(*shown, *result, memory, job);
    const Repaired repaired{
        shown, result, snapshot,
        decided ? *decided : decidedRepairs(*shown, *result, *training, before)};
    const bool trained = training->report && !training->settings.onlyKnown;
    m_job.tell([this, shown, repaired, trained, what](RepairView&) {
      if (shown != m_base) return;
      if (trained) keepCheckpoint({});
      take(repaired, what);
    });
  });
}

void RepairController::take(const Repaired& repaired, const QString& what) {
  const bool follows = isCompared();
  // Of another model or other samples nothing comes back at once.
  std::erase_if(m_known, [&](const Repaired& each) {
    return each.before->model.engine != repaired.before->model.engine ||
           each.before->data != repaired.before->data;
  });
  m_known.push_back(repaired);
  if (m_known.size() > kMostKnown) m_known.erase(m_known.begin());
  if (!m_repeats) {
    DecidedRepairs decided = repaired.decided;
    decided.unfinished = m_session.document().repairs().unfinished;
    m_session.decideRepairs(decided, what, m_baseEdit);
  }
  m_followed = decisionsOf(m_session.document());
  show();
  if (follows) compare();
}

void RepairController::keepCheckpoint(const StoppedTraining& stopped) {
  m_session.keepCheckpoint(stopped);
  showStopped();
}

void RepairController::showStopped() {
  const StoppedTraining& stopped = m_session.document().repairs().unfinished;
  m_view.setStoppedTraining(stopped.bytes ? std::optional(stopped.choices) : std::nullopt);
}

bool RepairController::isCompared() const {
  const SnapshotPtr compared = m_comparison.snapshot();
  return compared && std::ranges::any_of(
                         m_known, [&](const Repaired& each) { return each.snapshot == compared; });
}

void RepairController::show() {
  showStopped();
  RepairShown shown;
  const std::size_t position = m_session.document().position();
  shown.canUndo = position > 0 && isNextStep(position - 1);
  shown.canRedo = isNextStep(position) || canRepeat();
  if (const Repaired* now = standing()) {
    shown.result = now->result;
    shown.repaired = now->snapshot;
    shown.before = now->before;
  } else {
    showElsewhere(shown);
  }
  if (m_view.busy() || !(shown == m_view.shown())) m_view.setShown(shown);
}

void RepairController::compare() {
  const SnapshotPtr& repaired = m_view.shown().repaired;
  if (!repaired) return m_comparison.choose({});
  m_comparison.previewResult(repaired, tr("Repaired"));
}

void RepairController::showElsewhere(RepairShown& shown) {
  const Document& document = m_session.document();
  const DecidedRepairs decided = decisionsOf(document);
  if (decided.empty() || areOf(decided, m_session.request().config)) return;
  const QString edit = firstEditSince(document);
  QString words = edit.isEmpty() ? tr("Another configuration was repaired")
                                 : tr("The configuration before “%1” was repaired").arg(edit);
  const auto known = std::ranges::find(m_known, decided, &Repaired::decided);
  const SnapshotPtr& now = m_session.snapshot();
  if (known != m_known.end() && now && known->before->data == now->data) {
    words += tr(": its worst output went from %1 to %2 dB")
                 .arg(fixedText(worstDecibels(known->result->startAll), 2),
                      fixedText(worstDecibels(known->result->endAll), 2));
  }
  shown.elsewhere = words + tr(". Repair tries the steps on this one.");
  // The way back through the journal is looked for once.
  const std::uint64_t last = m_session.lastEdit();
  if (m_way.last != last || m_way.decided != decided) {
    m_way = {decided, last, configurationOf(decided).has_value()};
  }
  shown.canGoThere = m_way.isThere;
}

std::optional<Configuration> RepairController::configurationOf(
    const DecidedRepairs& decided) const {
  const auto known = std::ranges::find(m_known, decided, &Repaired::decided);
  if (known != m_known.end()) return known->before->request.config;
  Document then = m_session.document();
  for (; !areOf(decided, then.configuration()); then.undo()) {
    if (!then.canUndo()) return std::nullopt;
  }
  return then.configuration();
}

void RepairController::goThere() {
  const auto config = configurationOf(decisionsOf(m_session.document()));
  if (config) m_session.setConfig(*config, tr("go to what was repaired"));
}

QString RepairController::atStake() const {
  if (!m_view.busy()) return {};
  if (m_writes) return tr("The repaired model is not written yet.");
  if (m_repeats) return {};
  const QString lost = tr("A repair is not done: what it has won so far is lost when you go on.");
  return m_view.canStop() ? lost + tr(" “Stop and Keep” ends it with what it has.") : lost;
}

std::filesystem::path RepairController::askForFolder(const LoadedModel& original) {
  const QString chosen = m_dialogs->chooseRepaired(&m_view, proposedRepairedFolder(original.file));
  if (chosen.isEmpty()) return {};
  const std::filesystem::path folder = chosen.toStdString();
  if (const auto own = replacedModelFile(folder, original)) {
    m_view.showError(tr("%1 is a file of the model that was repaired, and would be overwritten: "
                        "choose another folder.")
                         .arg(text(own->string())));
    return {};
  }
  QStringList names;
  for (const auto& file : replacedFiles(folder)) names << text(file.filename().string());
  const bool goesOn =
      names.isEmpty() || m_dialogs->mayLose(&m_view,
                                            tr("%1 in %2 exist already and are replaced.")
                                                .arg(names.join(QStringLiteral(", ")), chosen),
                                            tr("Replace"));
  return goesOn ? folder : std::filesystem::path();
}

void RepairController::saveAndOpen() {
  const RepairShown shown = m_view.shown();  // the dialog lets others in
  const Repaired* now = standing();
  if (!shown.result || !shown.before || now == nullptr) return;
  const TrainingChoices training = now->decided.training;
  const std::filesystem::path folder = askForFolder(shown.before->model);
  if (folder.empty()) return;
  m_repeats = m_writes = true;
  m_view.showBusy(tr("Writing the repaired model…"));
  m_job.start([this, training, result = shown.result, repaired = shown.before->request,
               out = folder](JobContext& job) mutable {
    writeRepair(*result, out, job, &training);
    repaired.model = out / "model.onnx";
    repaired.config = readConfiguration(out / "config.json");
    m_job.tell([this, result, repaired](RepairView&) {
      show();
      m_open(repaired, tr("The worst output has %1 dB against the original model. Errors here are "
                          "measured against the repaired float model.")
                           .arg(shortText(worstDecibels(result->endAll))));
    });
  });
}

}  // namespace quantscope
