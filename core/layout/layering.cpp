#include "layout/layering.h"

#include <algorithm>
#include <iterator>
#include <limits>
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

// Right above the first one that they feed.
void pullDown(std::span<const LayoutBox> boxes, std::span<const LayoutEdge> edges,
              std::vector<std::size_t>& layers) {
  constexpr std::size_t kNothing = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> below(boxes.size(), kNothing);
  for (const LayoutEdge& edge : edges) {
    below[edge.from] = std::min(below[edge.from], layers[edge.to]);
  }
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].pin == LayoutPin::Late && below[i] != kNothing) layers[i] = below[i] - 1;
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

std::vector<std::size_t> pinnedLayers(std::span<const LayoutBox> boxes,
                                      std::span<const LayoutEdge> edges) {
  requireInside(boxes.size(), edges);
  std::vector<LayoutEdge> inner;
  std::ranges::copy_if(edges, std::back_inserter(inner), [&](const LayoutEdge& edge) {
    return boxes[edge.from].pin != LayoutPin::First && boxes[edge.to].pin != LayoutPin::Last;
  });
  std::vector<std::size_t> layers = longestPathLayers(boxes.size(), inner);
  pullDown(boxes, inner, layers);

  const bool anyFirst = std::ranges::find(boxes, LayoutPin::First, &LayoutBox::pin) != boxes.end();
  const std::size_t shift = anyFirst ? 1 : 0;
  const std::size_t last = layers.empty() ? 0 : *std::ranges::max_element(layers) + shift + 1;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].pin != LayoutPin::First) layers[i] += shift;
    if (boxes[i].pin == LayoutPin::Last) layers[i] = last;
  }
  return layers;
}

}  // namespace quantscope
