#include "search_controller.h"

#include <algorithm>
#include <utility>

#include "analysis/errors/computable_outputs.h"
#include "base/number_text.h"
#include "jobs/request_labels.h"
#include "jobs/sensitivity/time_layers.h"
#include "search/measured/measured_search.h"
#include "widgets/look/text.h"
#include "widgets/sensitivity/budget_field.h"
#include "widgets/sensitivity/costs_button.h"
#include "widgets/sensitivity/front_pane.h"
#include "widgets/sensitivity/sensitivity_view.h"
#include "widgets/words/progress_words.h"

namespace quantscope {
namespace {

QString figuresOf(const ParetoPoint& point) {
  return withUnit(point.sqnrDb, QStringLiteral("dB")) + QStringLiteral(", ") +
         text(byteSize(point.bytes));
}

// Those of the configuration are told elsewhere.
QString noticesOf(const OptimizedConfig& found, const AnalysisSnapshot& shown) {
  QStringList sentences;
  for (const std::string& notice : found.notices) {
    if (std::ranges::find(shown.result->notices, notice) != shown.result->notices.end()) continue;
    sentences += capitalized(text(notice)) + u'.';
  }
  return sentences.join(u'\n');
}

// Times are asked for where the budget is one of time. `file`: the table; empty = measured now.
std::shared_ptr<const CostTable> costsFor(const SearchGoal& goal, const std::string& file,
                                          const AnalysisSnapshot& shown,
                                          std::vector<std::string>& notices, JobContext& job) {
  if (frontCost(goal.kind) != FrontCost::Time) return nullptr;
  if (!file.empty()) {
    return std::make_shared<const CostTable>(
        openCostTable(file, shown.model, shown.request.config, notices, job));
  }
  return std::make_shared<const CostTable>(
      timeLayers(shown.model, shown.request.config, *shown.data, job));
}

}  // namespace

SearchController::SearchController(Session& session, Comparison& comparison, SensitivityView& view,
                                   std::shared_ptr<Dialogs> dialogs, QWidget* window)
    : QObject(window),
      m_session(session),
      m_comparison(comparison),
      m_view(view),
      m_dialogs(std::move(dialogs)),
      m_window(window),
      m_probe(session, "search", [this](const SnapshotPtr& shown) { return prepare(shown); }) {
  m_probe.setProgressSink([this](const Progress& now) { show(progressWords(now)); });
  m_probe.setFailureSink([this](const QString& words) { end(words); });
  FrontPane& pane = view.front();
  connect(&pane, &FrontPane::searchRequested, this, &SearchController::start);
  connect(&pane, &FrontPane::stopRequested, this, &SearchController::stop);
  connect(&pane, &FrontPane::previewRequested, this, &SearchController::preview);
  connect(&pane, &FrontPane::adoptRequested, this, &SearchController::adopt);
  connect(&pane, &FrontPane::typesChanged, this, &SearchController::restart);
  connect(&pane, &FrontPane::budgetChanged, this, &SearchController::restart);
  connect(&pane.costs(), &CostsButton::fileRequested, this, &SearchController::chooseCosts);
  connect(&pane.costs(), &CostsButton::cleared, this, &SearchController::restart);
  connect(&pane, &FrontPane::nodeChosen, this, [this](const QString& name) {
    if (!m_session.snapshot()) return;
    const NodeId node = m_session.snapshot()->graph().findNode(name.toStdString());
    if (node.valid()) m_session.selection().selectNode(node);
  });
  connect(&session, &Session::documentEnding, this, [this] {
    m_wanted = false;
    m_failure.clear();
    m_found.reset();
    m_view.front().budget().forgetBytes();
    show({});
  });
  connect(&session, &Session::requestChanged, this, [this] { show({}); });
  connect(&session.controller(), &AnalysisController::snapshotChanged, this, [this] { show({}); });
  show({});
}

void SearchController::start() {
  m_wanted = true;
  m_failure.clear();
  m_probe.restart();
  show({});
}

// What it does now is about something else.
void SearchController::restart() {
  m_failure.clear();
  m_probe.restart();
  show({});
}

void SearchController::chooseCosts() {
  if (!m_session.snapshot()) return;
  const std::filesystem::path& model = m_session.snapshot()->model.file;
  const QString chosen = m_dialogs->chooseCosts(m_window, text(model.parent_path().string()));
  if (chosen.isEmpty()) return;
  m_view.front().costs().setFile(chosen);
  restart();
}

void SearchController::stop() {
  m_wanted = false;
  m_probe.restart();
  show({});
}

IdleProbe::Work SearchController::prepare(const SnapshotPtr& shown) {
  if (!m_wanted) return nullptr;
  return [this, shown, asked = question(), &memory = m_session.queue()->memory()](
             JobContext& job, const IdleProbe::Tell& tell) {
    const auto take = [&](const std::vector<FrontPoint>& front, const QString& notices) {
      auto found = std::make_shared<Found>(
          Found{shown->request, analysedFiles(*shown), asked, front, notices});
      tell([this, found] {
        m_found = found;
        show({});
      });
    };
    requireComputableOutput(*shown->model.engine);
    requireRealOutput(shown->graph());
    const Labels labels = labelsOf(shown->request);
    std::vector<std::string> notices;
    OptimizedConfig found = searchMeasured(
        shown->model.engine, shown->request.config, *shown->observations, *shown->data, labels,
        {.goal = asked.goal,
         .types = asked.types,
         .costs = costsFor(asked.goal, asked.costs, *shown, notices, job)},
        memory, job, [&](const std::vector<FrontPoint>& front) { take(front, {}); });
    found.notices.insert(found.notices.begin(), notices.begin(), notices.end());
    take(found.pareto, noticesOf(found, *shown));
    tell([this] {
      end({});
      m_view.front().markChosen();
    });
  };
}

void SearchController::end(const QString& failure) {
  m_wanted = false;
  m_failure = failure;
  show({});
}

SearchController::Question SearchController::question() const {
  FrontPane& pane = m_view.front();
  return {pane.budget().goal(), pane.types(), pane.costs().file().toStdString()};
}

bool SearchController::isCurrent() const {
  if (!m_found || !sameData(m_found->request, m_session.request())) return false;
  const SnapshotPtr& shown = m_session.snapshot();
  // While a result is of another request, it says nothing of the files of this one.
  return !shown || m_session.stale() || analysedFiles(*shown) == m_found->files;
}

bool SearchController::isEditedSince() const {
  const Configuration& now = m_session.request().config;
  return now != m_found->request.config &&
         std::ranges::find(m_found->front, now, &FrontPoint::config) == m_found->front.end();
}

QString SearchController::differences() const {
  const Question& asked = m_found->question;
  const Question now = question();
  const bool sameBudget = asked.goal.kind == now.goal.kind && asked.goal.limit == now.goal.limit;
  const bool timed = frontCost(asked.goal.kind) == FrontCost::Time;
  QStringList others;
  if (!sameBudget) others << tr("another budget");
  if (timed && asked.costs != now.costs) others << tr("other times");
  if (asked.types != now.types) others << tr("other types");
  return others.join(tr(" and "));
}

// The front belongs to the search's start configuration; its points can still be adopted.
QString SearchController::restWords() const {
  if (!m_failure.isEmpty()) return m_failure;
  if (m_wanted) return tr("Searching…");
  const SnapshotPtr& shown = m_session.snapshot();
  if (!shown) return tr("Open a model to search a configuration for it.");
  if (shown->stage == AnalysisSnapshot::Stage::Structure) {
    return tr("Choose data first: a search measures on samples.");
  }
  if (isCurrent()) {
    const QString others = differences();
    if (!others.isEmpty()) {
      return tr("These configurations were found for %1: search anew.").arg(others);
    }
    if (isEditedSince()) {
      return tr("Found before the last changes: Adopt drops those, a new search keeps them.");
    }
    return m_found->notices;
  }
  return tr(
      "Search tries the types for every layer and shows the configurations that no other one "
      "beats, from the smallest, or the fastest, to the most exact.");
}

bool SearchController::canSearch() const {
  const SnapshotPtr& shown = m_session.snapshot();
  const bool possible = shown && shown->stage == AnalysisSnapshot::Stage::Complete;
  return possible && !m_view.front().types().empty();
}

bool SearchController::canAdopt() const {
  return m_view.front().canAdopt();
}

void SearchController::adoptChosen() {
  if (canAdopt()) adopt(m_view.front().current());
}

void SearchController::show(const QString& progress) {
  const SnapshotPtr& shown = m_session.snapshot();
  // What is found stays an answer to the question while its points are adopted.
  if (shown && shown->stage != AnalysisSnapshot::Stage::Structure && !isCurrent()) {
    m_view.front().budget().setBytesNow(static_cast<double>(shown->result->summary.quantizedBytes));
  }
  const std::shared_ptr<const Found> found = isCurrent() ? m_found : nullptr;
  const bool chosen = found && differences().isEmpty();
  if (found != m_shown || chosen != m_shownChosen) {
    std::vector<FrontPoint> front = found ? found->front : std::vector<FrontPoint>();
    for (FrontPoint& each : front) each.chosen = each.chosen && chosen;
    m_view.front().setFront(front, found ? frontCost(found->question.goal.kind) : FrontCost::Bytes);
  }
  m_view.front().setConfiguration(m_session.request().config);
  m_shown = found;
  m_shownChosen = chosen;
  m_view.front().setStatus({.running = m_wanted,
                            .words = progress.isEmpty() ? restWords() : progress,
                            .failed = !m_failure.isEmpty()},
                           canSearch());
}

void SearchController::preview(int point) {
  const std::vector<FrontPoint>& front = m_view.front().front();
  if (point < 0 || point >= static_cast<int>(front.size())) return;
  const FrontPoint& chosen = front[static_cast<std::size_t>(point)];
  m_comparison.preview(chosen.config, figuresOf(chosen.point));
}

void SearchController::adopt(int point) {
  const std::vector<FrontPoint>& front = m_view.front().front();
  if (point < 0 || point >= static_cast<int>(front.size())) return;
  const FrontPoint& chosen = front[static_cast<std::size_t>(point)];
  const QString what = tr("adopt %1").arg(figuresOf(chosen.point));
  // The previewed configuration becomes A; B is the previous state again.
  m_comparison.choose({});
  m_session.setConfig(chosen.config, what);
}

}  // namespace quantscope
