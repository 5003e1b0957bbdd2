#include "causes_controller.h"

#include <utility>

#include "analysis/errors/error_budget.h"
#include "analysis/sensitivity/precision_ladder.h"
#include "app/gui/window/window_views.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/view/layer_index.h"

namespace quantscope {

CausesController::CausesController(Session& session, WindowViews& views, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_views(views),
      m_probe(session, "causes", [this](const SnapshotPtr& shown) { return prepare(shown); }) {
  connect(&session.selection(), &Selection::changed, &m_probe, &IdleProbe::restart);
}

ErrorCausesPtr CausesController::causes() const {
  const SnapshotPtr& shown = m_session.snapshot();
  return m_causes && shown && m_causes->of == shown->result ? m_causes : nullptr;
}

std::optional<std::size_t> CausesController::missingLayer(const AnalysisSnapshot& shown) const {
  const Selected& selected = m_session.selection().current();
  if (!selected.node.valid() || selected.several()) return std::nullopt;
  const auto layer = LayerIndex(*shown.result).find(selected.node);
  if (!layer || !shown.result->layers[*layer].local) return std::nullopt;
  const ErrorCausesPtr known = causes();
  return known && known->budgets.contains(*layer) ? std::nullopt : layer;
}

IdleProbe::Work CausesController::prepare(const SnapshotPtr& shown) {
  const auto layer = missingLayer(*shown);
  const ErrorCausesPtr known = causes();
  const bool ladder = !known || !known->ladder;
  if (!layer && !ladder) return nullptr;
  return [this, shown, layer, ladder, &memory = m_session.queue()->memory()](
             JobContext& job, const IdleProbe::Tell& tell) {
    const Engine& engine = *shown->model.engine;
    if (layer) {
      const auto budgets = measureErrorBudgets(engine, *shown->quantized, *shown->data,
                                               std::vector{*layer}, memory, job);
      tell([this, shown, layer, budget = budgets.front()] { take(shown, *layer, budget); });
    }
    if (!ladder) return;
    const auto steps =
        measureLadder(engine, *shown->quantized, *shown->result, *shown->data, memory, job);
    tell([this, shown, steps] { take(shown, steps); });
  };
}

// Includes the known causes of the same result.
ErrorCauses CausesController::causesOf(const SnapshotPtr& snapshot) const {
  if (m_causes && m_causes->of == snapshot->result) return *m_causes;
  return {.of = snapshot->result, .budgets = {}, .ladder = {}};
}

void CausesController::take(const SnapshotPtr& of, std::size_t layer,
                            const std::optional<ErrorBudget>& budget) {
  ErrorCauses causes = causesOf(of);
  causes.budgets[layer] = budget;
  publish(std::move(causes));
}

void CausesController::take(const SnapshotPtr& of, const std::vector<LadderStep>& ladder) {
  ErrorCauses causes = causesOf(of);
  causes.ladder = ladder;
  publish(std::move(causes));
}

void CausesController::publish(ErrorCauses causes) {
  m_causes = std::make_shared<const ErrorCauses>(std::move(causes));
  m_views.inspector().setCauses(m_causes);
  Q_EMIT changed();
}

}  // namespace quantscope
