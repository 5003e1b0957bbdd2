#include "compare/input_cone.h"

#include <algorithm>
#include <set>

namespace quantscope {

InputCones::InputCones(const Graph& graph) : m_graph(graph), m_rank(graph.nodes().size()) {
  std::size_t rank = 0;
  for (const NodeId node : graph.main().nodes) m_rank[node.at()] = rank++;
}

InputCone InputCones::of(ValueId value, const Condition& isKnown,
                         const Condition& isFollowed) const {
  InputCone cone;
  std::set<NodeId> nodes;
  std::set<ValueId> seen;
  std::vector<ValueId> open{value};
  while (!open.empty()) {
    const ValueId next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    const NodeId producer = m_graph[next].producer;
    if (next != value && (!producer.valid() || isKnown(next))) {
      cone.inputs.push_back(next);
      continue;
    }
    if (!producer.valid() || !nodes.insert(producer).second) continue;
    const std::vector<ValueId> reads = readValues(m_graph, producer);
    for (auto read = reads.rbegin(); read != reads.rend(); ++read) {
      if (isFollowed(*read)) open.push_back(*read);
    }
  }
  cone.nodes.assign(nodes.begin(), nodes.end());
  std::ranges::sort(cone.nodes, {}, [this](NodeId node) { return m_rank[node.at()]; });
  return cone;
}

}  // namespace quantscope
