#pragma once

#include <vector>

#include "graph/graph.h"

namespace quantscope {

/// By value: true if its elements depend on the elements of a graph input, false if they depend
/// only on constants and shapes. Values that do not depend on inputs are never quantized: they
/// compute shapes.
std::vector<bool> dependsOnData(const Graph& graph);

}  // namespace quantscope
