#pragma once

#include "analysis/cost/weight_cost.h"
#include "search/measured/search_space.h"

namespace quantscope {

/// Bounds of what configurations of a search space cost: none is below them, and some may be above.

/// Bits and bytes of all weights. Layers whose weights come from the same constants count once:
/// they may be stored once for all. `start`: the model that the search starts from.
WeightCost leastWeightCost(const Engine& engine, const QuantizedModel& start,
                           const SearchSpace& space);

/// Microseconds for one sample, without conversions: one conversion may serve several readers.
/// Layers that another one may take in count nothing.
double leastTime(const CostTable& costs, const Graph& graph, const QuantizedModel& start,
                 const SearchSpace& space);

}  // namespace quantscope
