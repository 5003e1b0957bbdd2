#include "repair/repair_state.h"

#include "calibration/calibrate.h"

namespace quantscope {

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
  next.config = withOverlay(state.config, next.engine->graph(), overlay);
  next.model = quantizeModel(*next.engine, next.config, *next.observations, tools.memory.parameters,
                             &tools.job);
  return next;
}

}  // namespace quantscope
