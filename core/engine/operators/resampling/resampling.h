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

/// The grid that GridSample takes for the affine transformations theta [N, axes, axes + 1] of an
/// output of the given size.
std::unique_ptr<Kernel> makeAffineGrid(const Node& node, const Graph& graph);

/// Cuts from, or pads with zeros, both ends of axes until they have the given extents; of an odd
/// difference the end gets one more.
std::unique_ptr<Kernel> makeCenterCropPad(const Node& node, const Graph& graph);

}  // namespace quantscope
