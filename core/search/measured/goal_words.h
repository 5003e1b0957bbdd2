#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "search/measured/measured_search.h"

namespace quantscope {

/// The error for a budget that no choice of types can keep. `least`: what all constants and weights
/// take at least, in the goal's unit: bits, bytes or microseconds. `floatTime`: of the network in
/// float32, in microseconds; for goals of time.
Error unreachableBudget(const SearchGoal& goal, double least, double floatTime);

/// The error for a goal that nothing that was measured reaches. `least`: the least that anything
/// measured takes, likewise, or the least share that is lost. `nearest`: what takes or loses that.
Error unmetGoal(const SearchGoal& goal, double least, double floatTime, const ParetoPoint& nearest);

/// The error for a drop that no output of the model can show.
Error unmeasurableDrop();

/// Throws InvalidParameters where the goal is about the mean bits of weights, and there are none.
void requireWeights(const SearchGoal& goal, double elements);

/// What so many samples, of which the classes are compared, are too few for.
std::vector<std::string> sampleNotices(const SearchGoal& goal, std::size_t samples);

}  // namespace quantscope
