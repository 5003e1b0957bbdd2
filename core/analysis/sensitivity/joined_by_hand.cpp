#include "analysis/sensitivity/joined_by_hand.h"

#include <algorithm>
#include <iterator>

namespace quantscope {
namespace {

using LayerFilter = std::function<bool(const LayerQuantization&)>;

// The lead of the layer that a point is at; not valid where that layer does not count.
NodeId leadAt(const Graph& graph, const QuantizedModel& model, const PointName& point,
              const LayerFilter& counts) {
  const NodeId node = graph.findNode(point.isOutput() ? point.producer : point.consumer);
  const auto layer = std::ranges::find_if(model.layers, [&](const LayerQuantization& each) {
    return std::ranges::find(each.layer.members, node) != each.layer.members.end();
  });
  return layer == model.layers.end() || !counts(*layer) ? NodeId() : layer->layer.lead();
}

bool holds(const std::vector<NodeId>& nodes, NodeId node) {
  return std::ranges::find(nodes, node) != nodes.end();
}

}  // namespace

JoinedByHand joinedByHand(const Graph& graph, const QuantizedModel& model,
                          const std::vector<std::vector<PointName>>& lists, NodeId lead,
                          const LayerFilter& counts) {
  std::vector<std::vector<NodeId>> leads(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) {
    std::ranges::transform(lists[i], std::back_inserter(leads[i]), [&](const PointName& point) {
      return leadAt(graph, model, point, counts);
    });
  }
  std::vector<NodeId> group{lead};
  std::vector<bool> joins(lists.size());
  for (bool grows = !lists.empty(); grows;) {
    grows = false;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      const bool touches = std::ranges::any_of(
          leads[i], [&](NodeId node) { return node.valid() && holds(group, node); });
      if (!touches || joins[i]) continue;
      joins[i] = grows = true;
      for (const NodeId node : leads[i]) {
        if (node.valid() && !holds(group, node)) group.push_back(node);
      }
    }
  }
  JoinedByHand joined{{group.begin() + 1, group.end()}, {}};
  for (std::size_t i = 0; i < lists.size(); ++i) {
    if (joins[i]) joined.lists.push_back(lists[i]);
  }
  return joined;
}

}  // namespace quantscope
