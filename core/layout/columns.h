#pragma once

#include <span>

#include "layout/graph_layout.h"
#include "layout/layered_drawing.h"

namespace quantscope {

/// The drawing in pixels: what stood above each other still does, and boxes, and the edges that
/// pass beside them, keep their distance. `layers` is the layer of each box; x of a box is where
/// its axis stands.
LayeredDrawing spreadColumns(const LayeredDrawing& drawing, std::span<const LayoutBox> boxes,
                             std::span<const std::size_t> layers);

}  // namespace quantscope
