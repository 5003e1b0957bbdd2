#pragma once

#include <vector>

#include "graph/graph.h"

namespace quantscope {

/// By value: true where the value's elements depend on the elements of a graph input, rather than
/// on constants and shapes alone. What does not is never quantized: it computes shapes.
std::vector<bool> dependsOnData(const Graph& graph);

}  // namespace quantscope
