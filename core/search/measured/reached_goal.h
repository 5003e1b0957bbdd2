#pragma once

#include "search/measured/measured_search.h"
#include "search/trial_runs.h"

namespace quantscope {

/// Above a limit by no more than this factor is within it: sums of costs are rounded.
inline constexpr double kOfLimit = 1 + 1e-9;

/// True where a trial keeps to the goal. `limit`: its limit in the unit of a network's cost:
/// microseconds for a goal of a speedup.
bool reachesGoal(const Trial& trial, const SearchGoal& goal, double limit);

}  // namespace quantscope
