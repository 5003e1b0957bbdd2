#include "repair/repair_state.h"

#include "calibration/calibrate.h"

namespace quantscope {
namespace {

void carryOn(std::map<NodeId, NormalStatistics>& statistics, const Overlay& overlay) {
  for (const auto& [lead, each] : overlay.statistics) statistics[lead] = each;
  for (const ScaledOutputs& scaled : overlay.scaled) {
    const auto found = statistics.find(scaled.lead);
    if (found == statistics.end()) continue;
    NormalStatistics& each = found->second;
    if (each.mean.size() != scaled.factors.size()) {
      statistics.erase(found);
      continue;
    }
    for (std::size_t c = 0; c < each.mean.size(); ++c) {
      each.mean[c] = each.mean[c] / scaled.factors[c] - scaled.shifts[c];
      each.deviation[c] /= scaled.factors[c];
    }
  }
}

}  // namespace

RepairState withOverlay(const RepairState& state, const Overlay& overlay, OverlayEffect effect,
                        RepairTools& tools) {
  const Workers& workers = tools.job.workers();
  RepairState next = state;
  const bool apart = state.engine != state.twin;
  next.engine = applyOverlay(*state.engine, overlay, workers);
  if (effect != OverlayEffect::Fitted) {
    next.twin = apart ? applyOverlay(*state.twin, overlay, workers) : next.engine;
  }
  if (effect == OverlayEffect::SameOutputs) {
    next.observations = std::make_shared<const Observations>(
        calibrate(*next.twin, tools.calibration, tools.settings, tools.job));
  }
  carryOn(next.statistics, overlay);
  next.config = withOverlay(state.config, next.engine->graph(), overlay);
  next.model = quantizeModel(*next.engine, next.config, *next.observations, tools.memory.parameters,
                             &tools.job);
  return next;
}

}  // namespace quantscope
