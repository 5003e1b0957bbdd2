#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "layout/graph_layout.h"

namespace quantscope {

struct LayoutRect {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

/// A frame around boxes and other groups.
struct CompoundGroup {
  std::size_t parent = 0;  ///< its index, lower than that of the group itself
  double before = 0;       ///< room above its contents, where no edge comes in
  double after = 0;        ///< room below them, where no edge leaves
  double left = 0;
  double right = 0;
  double minWidth = 0;
  double minHeight = 0;
};

struct CompoundBox {
  LayoutBox size;
  std::size_t group = 0;
};

/// The positions of boxes and group frames, and the route of each edge from the lower border of its
/// source to the upper border of its target.
struct CompoundLayout {
  std::vector<LayoutRect> boxes;
  std::vector<LayoutRect> groups;
  std::vector<std::vector<LayoutPoint>> routes;
};

/// Lays out boxes in nested groups. Each group is drawn by layoutGraph() on its own and then
/// placed as one large box in its parent, so that frames nest and never overlap. An edge that
/// crosses a border is led to a place on it, inside and outside; edges from the same box share
/// that place. Edges meet a box at its axis. Group 0 is the whole, without a border.
/// Throws InvalidParameters where the boxes and groups inside one group form a cycle.
CompoundLayout layoutCompound(std::span<const CompoundGroup> groups,
                              std::span<const CompoundBox> boxes,
                              std::span<const LayoutEdge> edges);

}  // namespace quantscope
