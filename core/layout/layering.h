#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "layout/graph_layout.h"

namespace quantscope {

/// The layer of each of `boxes` boxes: the number of edges on the longest path that ends there,
/// so that every edge leads to a higher layer and sources stand in layer 0.
/// Throws InvalidParameters for an edge outside the boxes or a cycle.
std::vector<std::size_t> longestPathLayers(std::size_t boxes, std::span<const LayoutEdge> edges);

/// The same with the boxes' pins respected: LayoutPin::First alone in layer 0, and so on.
std::vector<std::size_t> pinnedLayers(std::span<const LayoutBox> boxes,
                                      std::span<const LayoutEdge> edges);

}  // namespace quantscope
