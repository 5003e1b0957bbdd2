#pragma once

#include <memory>

#include "engine/kernel.h"

namespace quantscope {

/// Resize and its predecessor Upsample: nearest, (multi-)linear and cubic interpolation along any
/// axes.
std::unique_ptr<Kernel> makeResize(const Node& node, const Graph& graph);

/// Samples X [N, C, D1, …] at the positions of grid [N, E1, …, axes], −1 … 1 from edge to edge,
/// the innermost axis first.
std::unique_ptr<Kernel> makeGridSample(const Node& node, const Graph& graph);

}  // namespace quantscope
