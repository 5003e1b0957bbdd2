#pragma once

#include "search/measured/search_space.h"

namespace quantscope {

/// Prices the conversions of a search space: between two of its layers as borders, from and to
/// everything else as a part of the options' own times. `model`: that the search starts from; what
/// is not searched for keeps the type that it has there.
void priceBorders(const CostTable& costs, const Graph& graph, const QuantizedModel& model,
                  SearchSpace& space);

}  // namespace quantscope
