#include "analysis/sensitivity/cone_share.h"

#include <numeric>
#include <vector>

namespace quantscope {

double shareBehind(const Graph& graph, NodeId start, std::span<const double> costs) {
  const double all = std::accumulate(costs.begin(), costs.end(), 0.0);
  const auto cost = [&](std::size_t node) { return all > 0 ? costs[node] : 1.0; };
  std::vector<bool> reached(graph.nodes().size());
  std::vector<NodeId> open{start};
  reached[start.at()] = true;
  double behind = 0;
  while (!open.empty()) {
    const NodeId node = open.back();
    open.pop_back();
    behind += cost(node.at());
    for (const ValueId output : graph[node].outputs) {
      if (!output.valid()) continue;
      for (const NodeId reader : graph[output].consumers) {
        if (reached[reader.at()]) continue;
        reached[reader.at()] = true;
        open.push_back(reader);
      }
    }
  }
  return behind / (all > 0 ? all : static_cast<double>(graph.nodes().size()));
}

}  // namespace quantscope
