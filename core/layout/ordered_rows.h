#pragma once

#include <span>

#include "layout/graph_layout.h"
#include "layout/layered_drawing.h"

namespace quantscope {

/// A plain drawing for graphs on which the real one would take too long: each layer is sorted by
/// the mean position of its neighbours (the barycentre heuristic) and centred. Linear but for the
/// sorting. `layers` must rise along every edge; edges that pass layers get no bends.
LayeredDrawing orderedRows(std::span<const std::size_t> layers, std::span<const LayoutEdge> edges);

}  // namespace quantscope
