#include "engine/fusion/fusion.h"

#include <algorithm>

namespace quantscope {
namespace {

class Fusion {
 public:
  Fusion(const Engine& engine, const std::vector<NodeId>& order, const FusionRules& rules)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_rules(rules),
        m_pending(m_graph.values().size()),
        m_taken(m_graph.nodes().size()) {
    for (const NodeId node : order) {
      for (const ValueId output : m_graph[node].outputs) {
        if (output.valid()) m_pending[output.at()] = 1;
      }
    }
  }

  FusedNodes groupFrom(NodeId first) {
    FusedNodes group{first, {}};
    take(first);
    if (m_engine.kernel(first) == nullptr) return group;
    NodeId last = first;
    for (auto next = follower(last); next.node.valid(); next = follower(last)) {
      group.followers.push_back(next);
      take(next.node);
      last = next.node;
    }
    return group;
  }

  bool taken(NodeId node) const { return m_taken[node.at()] != 0; }

 private:
  void take(NodeId node) {
    m_taken[node.at()] = 1;
    for (const ValueId output : m_graph[node].outputs) {
      if (output.valid()) m_pending[output.at()] = 0;
    }
  }

  // The only node that reads a value, if there is exactly one and the value is not tapped.
  NodeId onlyReader(ValueId value) const {
    if (!value.valid() || m_rules.seen(value)) return {};
    const Block& block = m_graph[m_graph[value].block];
    if (std::ranges::find(block.outputs, value) != block.outputs.end()) return {};
    NodeId reader;
    for (const NodeId consumer : m_graph[value].consumers) {
      if (!m_rules.runs(consumer)) continue;
      if (reader.valid() || m_graph[consumer].block != m_graph[value].block) return {};
      reader = consumer;
    }
    return reader;
  }

  FusedNodes::Follower follower(NodeId node) const {
    const ValueId value = m_graph[node].outputs[0];
    const NodeId reader = onlyReader(value);
    if (!reader.valid() || taken(reader)) return {};
    const Kernel* kernel = m_engine.kernel(reader);
    const std::vector<ValueId>& inputs = m_graph[reader].inputs;
    if (kernel == nullptr || !kernel->elementwise() || std::ranges::count(inputs, value) != 1 ||
        !hasOneOutput(reader)) {
      return {};
    }
    const auto ready = [&](ValueId input) { return !input.valid() || m_pending[input.at()] == 0; };
    if (!std::ranges::all_of(inputs, ready)) return {};
    const auto place = std::ranges::find(inputs, value) - inputs.begin();
    return {reader, static_cast<std::size_t>(place)};
  }

  bool hasOneOutput(NodeId node) const {
    const std::vector<ValueId>& outputs = m_graph[node].outputs;
    return !outputs.empty() && outputs[0].valid() &&
           std::none_of(outputs.begin() + 1, outputs.end(), [](ValueId o) { return o.valid(); });
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const FusionRules& m_rules;
  std::vector<char> m_pending;  // by value: made by a node that has not come yet
  std::vector<char> m_taken;    // by node
};

}  // namespace

std::vector<FusedNodes> fuseElementwise(const Engine& engine, const std::vector<NodeId>& order,
                                        const FusionRules& rules) {
  Fusion fusion(engine, order, rules);
  std::vector<FusedNodes> groups;
  for (const NodeId node : order) {
    if (!fusion.taken(node)) groups.push_back(fusion.groupFrom(node));
  }
  return groups;
}

}  // namespace quantscope
