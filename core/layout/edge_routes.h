#pragma once

#include <span>
#include <vector>

#include "layout/graph_layout.h"
#include "layout/layered_drawing.h"

namespace quantscope {

/// The room that a layer takes in the drawing.
struct Row {
  double top = 0;
  double bottom = 0;
  double left = 0;
  double right = 0;
};

/// Boxes in pixels, and the layer of each.
struct PlacedBoxes {
  std::span<const LayoutBox> boxes;
  std::span<const std::size_t> layers;
  std::vector<LayoutPoint> centres;
  std::vector<Row> rows;
};

/// Points of an edge that passes the layers between its ends at `bends`: straight down inside
/// every row, so that only the gaps between rows are crossed at an angle.
std::vector<LayoutPoint> routeThrough(const PlacedBoxes& placed, const LayoutEdge& edge,
                                      std::span<const Bend> bends);

/// Routes of edges that each pass at least one layer, on lanes as near as possible to what stands
/// in the rows that they pass, left or right of it; the rows grow by their lanes. Edges that leave
/// the same box share a lane.
std::vector<std::vector<LayoutPoint>> routeBeside(PlacedBoxes& placed,
                                                  std::span<const LayoutEdge> edges);

}  // namespace quantscope
