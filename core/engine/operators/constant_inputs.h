#pragma once

#include <cstddef>

#include "graph/graph.h"

namespace quantscope {

/// True where input `index` of the node is a constant of the graph or computed from nothing but
/// constants (dequantized or transposed weights), so that every run brings the same tensor.
bool inputIsConstant(const Node& node, const Graph& graph, std::size_t index);

}  // namespace quantscope
