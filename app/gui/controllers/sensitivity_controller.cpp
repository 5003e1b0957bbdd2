#include "sensitivity_controller.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "jobs/request_labels.h"
#include "widgets/look/text.h"
#include "widgets/sensitivity/sensitivity_bar.h"
#include "widgets/sensitivity/sensitivity_view.h"
#include "widgets/sensitivity/widening_pane.h"
#include "widgets/words/progress_words.h"

namespace quantscope {

SensitivityController::SensitivityController(Session& session, SensitivityView& view,
                                             QObject* parent)
    : QObject(parent),
      m_session(session),
      m_view(view),
      m_rows(session, "sensitivity",
             [this](const SnapshotPtr& shown) { return prepareRows(shown); }),
      m_curve(session, "widening",
              [this](const SnapshotPtr& shown) { return prepareCurve(shown); }) {
  m_rows.setProgressSink([this](const Progress& now) { showRows(progressWords(now)); });
  m_curve.setProgressSink([this](const Progress& now) { showCurve(progressWords(now)); });
  m_rows.setFailureSink([this](const QString& words) {
    m_wanted = false;
    m_failure = words;
    follow();
  });
  m_curve.setFailureSink([this](const QString& words) {
    m_curveFailure = words;
    follow();
  });
  SensitivityBar& bar = view.bar();
  connect(&bar, &SensitivityBar::startRequested, this, &SensitivityController::start);
  connect(&bar, &SensitivityBar::pauseRequested, this, &SensitivityController::pause);
  connect(&bar, &SensitivityBar::requestChanged, this, [this] {
    m_failure.clear();
    m_curveFailure.clear();
    m_rows.restart();
    follow();
  });
  connect(&view.widening(), &WideningPane::typeChanged, this, [this] {
    m_curveFailure.clear();
    m_askedCounts.clear();
    m_curve.restart();
    showCurve({});
  });
  connect(&view.widening(), &WideningPane::countRequested, this,
          &SensitivityController::measureCount);
  connect(&view.widening(), &WideningPane::applyRequested, this, &SensitivityController::apply);
  connect(&session, &Session::documentEnding, this, [this] {
    m_wanted = false;
    m_failure.clear();
    m_curveFailure.clear();
    m_state.reset();
    m_widening.reset();
    m_askedCounts.clear();
    follow();
  });
  connect(&session, &Session::requestChanged, this, &SensitivityController::follow);
  connect(&session.controller(), &AnalysisController::snapshotChanged, this,
          &SensitivityController::follow);
  follow();
}

void SensitivityController::start() {
  m_wanted = true;
  m_failure.clear();
  m_curveFailure.clear();
  m_rows.restart();
  follow();
}

bool SensitivityController::hasWork() const {
  const SnapshotPtr& shown = m_session.snapshot();
  const bool possible = shown && shown->stage != AnalysisSnapshot::Stage::Structure;
  return possible && !(isCurrent(m_state) && m_state->complete());
}

bool SensitivityController::canStart() const {
  return hasWork() && !m_view.request().types.empty();
}

bool SensitivityController::canApply() const {
  return curveIsCurrent() && m_view.widening().canApply();
}

void SensitivityController::pause() {
  m_wanted = false;
  m_rows.restart();
  m_curve.restart();
  follow();
}

// While a result is of another request, it says nothing of the files of this one.
bool SensitivityController::isCurrent(const SensitivityStatePtr& state) const {
  if (!state) return false;
  const SnapshotPtr& shown = m_session.snapshot();
  return shown && !m_session.stale() ? isAbout(*state, *shown, m_view.request())
                                     : isAbout(*state, m_session.request(), m_view.request());
}

QString SensitivityController::differenceOf(const SensitivityState& state) const {
  const AnalysisRequest& now = m_session.request();
  if (!sameData(state.request, now)) return tr("other data");
  if (state.request.config != now.config) return tr("another configuration");
  if (state.asked != m_view.request()) return tr("other types or settings");
  return tr("the files as they were before they changed on disk");
}

bool SensitivityController::curveIsCurrent() const {
  return m_widening && isCurrent(m_widening->ranking) &&
         m_widening->type == m_view.widening().type();
}

IdleProbe::Work SensitivityController::prepareRows(const SnapshotPtr& shown) {
  const SensitivityRequest asked = m_view.request();
  const bool known = isCurrent(m_state) && m_state->complete();
  if (!m_wanted || known || asked.types.empty()) return nullptr;
  return [this, shown, asked, before = m_state, &memory = m_session.queue()->memory()](
             JobContext& job, const IdleProbe::Tell& tell) {
    sensitivityInSteps(*shown, asked, before, memory, job, [&](const SensitivityStatePtr& state) {
      tell([this, state] {
        m_state = state;
        if (state->complete()) {
          m_wanted = false;
          m_curve.restart();
        }
        follow();
        Q_EMIT measured();
      });
    });
  };
}

// What somebody waits for comes first.
std::vector<std::size_t> SensitivityController::untried(const Widening& widening,
                                                        const std::set<std::size_t>& asked) {
  // The first point is of the configuration as it is: the others are compared with it.
  std::vector<std::size_t> counts{0};
  std::ranges::copy_if(asked, std::back_inserter(counts),
                       [](std::size_t count) { return count > 0; });
  const std::vector<std::size_t> steps = wideningSteps(widening.order.size());
  std::ranges::copy_if(steps, std::back_inserter(counts),
                       [&](std::size_t count) { return count > 0 && !asked.contains(count); });
  std::erase_if(counts, [&](std::size_t count) {
    return count > widening.order.size() || widening.tried.contains(count);
  });
  return counts;
}

IdleProbe::Work SensitivityController::prepareCurve(const SnapshotPtr& shown) {
  const SensitivityStatePtr ranking = curveIsCurrent() ? m_widening->ranking : m_state;
  if (!isCurrent(ranking) || !ranking->complete()) return nullptr;
  // A new curve has the chosen point of the one before.
  if (const auto chosen = m_view.widening().chosenCount()) m_askedCounts.insert(*chosen);
  const WideningPtr before = curveIsCurrent() ? m_widening : nullptr;
  if (before && before->complete && untried(*before, m_askedCounts).empty()) return nullptr;
  return
      [this, shown, before, asked = m_askedCounts, state = ranking, type = m_view.widening().type(),
       &memory = m_session.queue()->memory()](JobContext& job, const IdleProbe::Tell& tell) {
        auto start = before ? std::make_shared<Widening>(*before) : std::make_shared<Widening>();
        if (!before) {
          start->ranking = state;
          start->type = type;
          start->choices = std::make_shared<const TypeChoices>(
              shown->model.engine, shown->request.config, shown->quantized);
          start->order = wideningOrder(state->rows, state->asked.around, *start->choices, type);
        }
        const std::vector<std::size_t> counts = untried(*start, asked);
        const Labels labels = labelsOf(shown->request);
        TrialRuns runs(*shown->model.engine, shown->request.config, *shown->observations,
                       *shown->data, labels, memory, job);
        const auto publish = [&](const WideningCurve& curve, bool complete) {
          auto next = std::make_shared<Widening>(*start);
          next->curve = merged(start->curve, curve);
          for (const WideningPoint& point : curve) next->tried.insert(point.count);
          if (complete) next->tried.insert(counts.begin(), counts.end());
          next->complete = complete;
          tell([this, next] {
            m_widening = next;
            showCurve({});
            if (!next->complete) return;
            Q_EMIT measured();
            // Chosen while it was measured.
            const auto chosen = m_view.widening().chosenCount();
            if (chosen && !next->tried.contains(*chosen)) m_curve.restart();
          });
        };
        const WideningCurve curve =
            measureWidening(*start->choices, start->order, type, counts, runs,
                            [&](const WideningCurve& soFar) { publish(soFar, false); });
        publish(curve, true);
      };
}

void SensitivityController::measureCount(std::size_t count) {
  if (!curveIsCurrent() || m_widening->tried.contains(count)) return;
  m_askedCounts.insert(count);
  m_curve.restart();
  showCurve({});
}

void SensitivityController::apply(std::size_t count) {
  if (!curveIsCurrent()) return;
  m_session.apply(wideningEdit(*m_widening->choices, m_widening->order, count, m_widening->type));
}

void SensitivityController::follow() {
  showRows({});
  showCurve({});
}

QString SensitivityController::restWords() const {
  for (const QString& failure : {m_failure, m_curveFailure}) {
    if (!failure.isEmpty()) return failure;
  }
  if (!m_state) return {};
  if (!isCurrent(m_state)) {
    return m_wanted ? tr("Waits for the new result") : tr("Of %1").arg(differenceOf(*m_state));
  }
  if (m_state->complete()) return {};
  return tr("%L1 of %L2 measured")
      .arg(m_state->rows.size())
      .arg(m_state->rows.size() + m_state->waiting.size());
}

void SensitivityController::showRows(const QString& progress) {
  const RunStatus status{.running = m_wanted,
                         .words = progress.isEmpty() ? restWords() : progress,
                         .failed = !m_failure.isEmpty()};
  m_view.setState(m_state);
  m_view.bar().setStatus(status, isCurrent(m_state) && !m_state->rows.empty(), !hasWork());
}

void SensitivityController::showCurve(const QString& progress) {
  WideningPane& pane = m_view.widening();
  if (curveIsCurrent() && m_widening->complete && m_widening->order.empty()) {
    return pane.setHint(
        tr("No row says which layers to set to this type: measure others than they have."));
  }
  if (curveIsCurrent()) {
    return pane.setCurve(m_widening->curve, m_widening->order.size(),
                         {.running = !m_widening->complete, .words = progress, .failed = false});
  }
  const QString next = nextCurveWords(progress);
  const bool kept = m_widening && !m_widening->curve.empty() && m_widening->type == pane.type();
  if (!kept) return pane.setHint(next);
  pane.setEarlierCurve(m_widening->curve, m_widening->order.size(),
                       tr("This curve is of %1. %2").arg(differenceOf(*m_widening->ranking), next));
}

QString SensitivityController::nextCurveWords(const QString& progress) const {
  if (!m_failure.isEmpty()) return m_failure;
  if (isCurrent(m_state) && m_state->complete()) {
    return progress.isEmpty() ? tr("Measuring…") : progress;
  }
  if (!m_wanted && isCurrent(m_state) && !m_state->rows.empty()) {
    return tr("Resume the measurement of the layers: the curve comes when all are measured.");
  }
  return m_wanted ? tr("The curve comes when all layers are measured.")
                  : tr("Start the measurement of the layers: the curve then shows what widening "
                       "the worst of them brings.");
}

}  // namespace quantscope
