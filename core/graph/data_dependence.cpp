#include "graph/data_dependence.h"

#include <algorithm>

#include "graph/operator_traits.h"

namespace quantscope {
namespace {

void visitBlock(const Graph& graph, BlockId block, std::vector<bool>& depends) {
  const auto dependent = [&](ValueId value) { return value.valid() && depends[value.at()]; };
  for (const NodeId id : graph[block].nodes) {
    const Node& node = graph[id];
    bool any = !operatorTraits(node).readsShapeOnly && std::ranges::any_of(node.inputs, dependent);
    for (const auto& [name, body] : node.bodies) {
      // A value that a loop carries may depend on data from a later iteration on.
      for (const ValueId input : graph[body].inputs) depends[input.at()] = true;
      visitBlock(graph, body, depends);
      any = any || std::ranges::any_of(graph[body].outputs, dependent);
    }
    for (const ValueId output : node.outputs) {
      if (output.valid()) depends[output.at()] = any;
    }
  }
}

}  // namespace

std::vector<bool> dependsOnData(const Graph& graph) {
  std::vector<bool> depends(graph.values().size(), false);
  for (const ValueId input : graph.inputs()) depends[input.at()] = true;
  visitBlock(graph, Graph::mainBlock(), depends);
  return depends;
}

}  // namespace quantscope
