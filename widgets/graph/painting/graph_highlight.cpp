#include "widgets/graph/painting/graph_highlight.h"

namespace quantscope {
namespace {

// Follows the edges of one direction from the given boxes to the end.
template <class EdgesOf>
void light(GraphHighlight& highlight, std::span<const std::size_t> start,
           std::size_t DrawnEdge::*next, const GraphScene& scene, EdgesOf edgesOf) {
  std::vector<std::size_t> pending(start.begin(), start.end());
  std::vector<std::uint8_t> seen(scene.boxes().size(), 0);
  for (const std::size_t box : start) seen[box] = 1;
  while (!pending.empty()) {
    const std::size_t box = pending.back();
    pending.pop_back();
    highlight.boxes[box] = 1;
    for (const std::uint32_t edge : edgesOf(box)) {
      highlight.edges[edge] = 1;
      const std::size_t other = scene.edges()[edge].*next;
      if (seen[other] == 0) pending.push_back(other);
      seen[other] = 1;
    }
  }
}

}  // namespace

GraphHighlightPtr makeHighlight(const GraphScene& scene, std::span<const std::size_t> selected,
                                std::span<const std::size_t> matches) {
  auto highlight = std::make_shared<GraphHighlight>();
  if (!matches.empty()) {
    highlight->matches.assign(scene.boxes().size(), 0);
    for (const std::size_t box : matches) highlight->matches[box] = 1;
  }
  if (selected.empty()) return highlight;
  highlight->active = true;
  highlight->boxes.assign(scene.boxes().size(), 0);
  highlight->edges.assign(scene.edges().size(), 0);
  light(*highlight, selected, &DrawnEdge::to, scene,
        [&](std::size_t box) { return scene.edgesFrom(box); });
  light(*highlight, selected, &DrawnEdge::from, scene,
        [&](std::size_t box) { return scene.edgesTo(box); });
  return highlight;
}

}  // namespace quantscope
