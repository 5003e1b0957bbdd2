#pragma once

#include "engine/engine.h"
#include "search/trial_runs.h"

namespace quantscope {

/// The configuration of a trial without what has no effect there and `start` does not have: changes
/// that helped one after the other may leave a way of quantizing the weights of a layer without
/// any, or factors of a layer that is float by now. The outputs stay as they are.
Configuration withoutIdleEntries(const Engine& engine, const Configuration& start,
                                 const Trial& trial);

}  // namespace quantscope
