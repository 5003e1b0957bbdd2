#include "layout/layering.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace quantscope {
namespace {

void requireInside(std::size_t boxes, std::span<const LayoutEdge> edges) {
  for (const LayoutEdge& edge : edges) {
    if (edge.from < boxes && edge.to < boxes) continue;
    throw Error(ErrorCode::InvalidParameters, "an edge from box " + std::to_string(edge.from) +
                                                  " to box " + std::to_string(edge.to) +
                                                  " leaves the " + std::to_string(boxes) +
                                                  " boxes to be laid out");
  }
}

}  // namespace

std::vector<std::size_t> longestPathLayers(std::size_t boxes, std::span<const LayoutEdge> edges) {
  requireInside(boxes, edges);
  std::vector<std::vector<std::size_t>> successors(boxes);
  std::vector<std::size_t> waitingFor(boxes, 0);
  for (const LayoutEdge& edge : edges) {
    successors[edge.from].push_back(edge.to);
    ++waitingFor[edge.to];
  }

  std::vector<std::size_t> ready;
  for (std::size_t box = 0; box < boxes; ++box) {
    if (waitingFor[box] == 0) ready.push_back(box);
  }
  std::vector<std::size_t> layers(boxes, 0);
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const std::size_t box = ready[i];
    for (const std::size_t successor : successors[box]) {
      layers[successor] = std::max(layers[successor], layers[box] + 1);
      if (--waitingFor[successor] == 0) ready.push_back(successor);
    }
  }
  if (ready.size() != boxes) {
    throw Error(ErrorCode::InvalidParameters, "the boxes to be laid out form a cycle");
  }
  return layers;
}

}  // namespace quantscope
