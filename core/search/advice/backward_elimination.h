#pragma once

#include <vector>

#include "search/advice/advice_budget.h"
#include "search/measured/search_space.h"

namespace quantscope {

/// Where no single layer gains, many may together: what is lost before a logarithm, say, no layer
/// behind it gives back. So this begins at the other end: with every layer of `space` in its widest
/// option, it narrows again what does least harm for what it saves, until the limits hold. Layers
/// that read the same weight are narrowed together, since the weight is stored for each type that
/// it is read in. Measured on few samples, with ever more layers at once while the limits are far.
/// Returns an option for each layer of the space; those of the start where nothing else is left.
/// `now`: the configuration as it is. Bit-identical for any number of threads. Throws Cancelled.
std::vector<std::size_t> eliminateBackward(const Engine& engine, const SearchSpace& space,
                                           const Trial& now, const AdviceLimits& limits,
                                           TrialRuns& runs);

}  // namespace quantscope
