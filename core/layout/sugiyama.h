#pragma once

#include <optional>
#include <span>
#include <vector>

#include "layout/graph_layout.h"
#include "layout/layered_drawing.h"

namespace quantscope {

/// Orders the boxes of each layer for few crossings and gives them coordinates that keep chains
/// straight (Sugiyama, Tagawa, Toda 1981; Brandes, Köpf 2001), by igraph.
/// Nothing where the graph is so large or dense that it would take many seconds, or igraph fails.
/// `layers` must rise along every edge.
std::optional<LayeredDrawing> sugiyamaDrawing(std::span<const std::size_t> layers,
                                              std::span<const LayoutEdge> edges);

}  // namespace quantscope
