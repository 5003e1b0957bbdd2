#pragma once

#include <cstddef>
#include <vector>

#include "graph/graph.h"

namespace quantscope {

/// True where an input says how a node computes and is no number that it computes with: shapes,
/// sizes, limits, pads, axes, indices, regions, the scales of a Resize, and the scales and zero
/// points of codes. From the operator's traits; no input of an operator that has none.
bool isSetting(const Node& node, std::size_t slot);

/// True for element types that parameters have: floats and codes. int64 is of indices and shapes,
/// bool of conditions.
bool isParameterType(ElementType type);

/// By value: true for the constants that count as parameters, and for what is computed from
/// constants alone, where some node that computes data reads it as no setting, or a block gives it
/// as an output.
std::vector<bool> findParameters(const Graph& graph);

}  // namespace quantscope
