#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quantscope {

/// Where a box stands among the layers.
enum class LayoutPin : std::uint8_t {
  Early,  ///< as near to its sources as they allow
  Late,   ///< for a box without sources: right above the first one that it feeds, at the lower
          ///< border of the layer
  First,  ///< in a layer above all others; has no sources
  Last,   ///< in a layer below all others; feeds nothing
};

/// A box to be placed; width and height in pixels.
struct LayoutBox {
  double width = 0;
  double height = 0;
  LayoutPin pin = LayoutPin::Early;
  double axis = 0;  ///< aligned with its neighbours; in pixels right of the centre
};

struct LayoutPoint {
  double x = 0;
  double y = 0;
};

/// A connection from box `from` to box `to`, by index.
struct LayoutEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  double leave = 0;   ///< where it leaves `from`, in pixels right of its centre
  double arrive = 0;  ///< where it reaches `to`, likewise
};

/// The centres of the boxes, and for each edge its points from the lower border of its source to
/// the upper border of its target.
struct GraphLayout {
  std::vector<LayoutPoint> centres;
  std::vector<std::vector<LayoutPoint>> routes;
  double width = 0;
  double height = 0;
};

/// Layered drawing from top to bottom (Sugiyama, Tagawa, Toda 1981), by igraph. Layers are the
/// longest path from the sources; edges over many layers are routed beside the drawing instead of
/// through dummies, whose number would explode. `edges` must be free of cycles.
/// Throws InvalidParameters for an edge outside the boxes or a cycle.
GraphLayout layoutGraph(const std::vector<LayoutBox>& boxes, const std::vector<LayoutEdge>& edges);

}  // namespace quantscope
