#include "search/profiles/attention.h"

#include <algorithm>

#include "graph/data_dependence.h"
#include "graph/operator_traits.h"

namespace quantscope {
namespace {

// Between the two products: a scale, a mask, casts and reshapes around the Softmax.
constexpr std::size_t kMostBetween = 8;

class AttentionFinder {
 public:
  explicit AttentionFinder(const Graph& graph)
      : m_graph(graph), m_depends(dependsOnData(graph)), m_found(graph.nodes().size()) {}

  std::vector<bool> find() {
    for (std::size_t i = 0; i < m_graph.nodes().size(); ++i) {
      const NodeId node(i);
      if (!operatorTraits(m_graph[node]).givesProbabilities) continue;
      const std::vector<NodeId> before = towards(node, &AttentionFinder::producerOf);
      const std::vector<NodeId> after = towards(node, &AttentionFinder::readerOf);
      if (before.empty() || after.empty()) continue;
      m_found[node.at()] = true;
      for (const NodeId each : before) m_found[each.at()] = true;
      for (const NodeId each : after) m_found[each.at()] = true;
    }
    return std::move(m_found);
  }

 private:
  using Neighbour = NodeId (AttentionFinder::*)(NodeId) const;

  // The nodes from a Softmax to the next product of computed values, that one included.
  std::vector<NodeId> towards(NodeId node, Neighbour neighbour) const {
    std::vector<NodeId> path;
    while (path.size() < kMostBetween) {
      node = (this->*neighbour)(node);
      if (!node.valid()) return {};
      path.push_back(node);
      if (isProductOfComputed(node)) return path;
      if (operatorTraits(m_graph[node]).weightUse != WeightUse::None) return {};
    }
    return {};
  }

  bool isProductOfComputed(NodeId node) const {
    const auto& inputs = m_graph[node].inputs;
    return operatorTraits(m_graph[node]).weightUse == WeightUse::Product && inputs.size() >= 2 &&
           std::ranges::all_of(
               inputs, [&](ValueId input) { return input.valid() && m_depends[input.at()]; });
  }

  NodeId producerOf(NodeId node) const {
    for (const ValueId input : m_graph[node].inputs) {
      if (input.valid() && m_depends[input.at()]) return m_graph[input].producer;
    }
    return {};
  }

  NodeId readerOf(NodeId node) const {
    const auto& outputs = m_graph[node].outputs;
    if (outputs.empty() || !outputs.front().valid()) return {};
    const std::vector<NodeId>& readers = m_graph[outputs.front()].consumers;
    return readers.size() == 1 ? readers.front() : NodeId();
  }

  const Graph& m_graph;
  std::vector<bool> m_depends;
  std::vector<bool> m_found;
};

}  // namespace

std::vector<bool> findAttention(const Graph& graph) {
  return AttentionFinder(graph).find();
}

}  // namespace quantscope
