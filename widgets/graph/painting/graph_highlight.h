#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "widgets/graph/drawing/graph_scene.h"

namespace quantscope {

/// The highlighted items of a drawing; the others are faded. Immutable.
struct GraphHighlight {
  bool active = false;              ///< false: nothing is faded
  std::vector<std::uint8_t> boxes;  ///< lit ones
  std::vector<std::uint8_t> edges;
  std::vector<std::uint8_t> matches;  ///< boxes that a search has found; may be empty

  bool lit(std::size_t box) const { return !active || boxes[box] != 0; }
  bool litEdge(std::size_t edge) const { return active && edges[edge] != 0; }
  bool match(std::size_t box) const { return box < matches.size() && matches[box] != 0; }

  friend bool operator==(const GraphHighlight&, const GraphHighlight&) = default;
};

using GraphHighlightPtr = std::shared_ptr<const GraphHighlight>;

/// Lights `selected` (may be empty) and all that it is computed from or that is computed from it.
GraphHighlightPtr makeHighlight(const GraphScene& scene, std::span<const std::size_t> selected,
                                std::span<const std::size_t> matches);

}  // namespace quantscope
