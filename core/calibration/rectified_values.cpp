#include "calibration/rectified_values.h"

#include "graph/operator_traits.h"

namespace quantscope {

std::vector<ValueId> findRectifiedValues(const Graph& graph, const std::vector<ChannelAxis>& axes) {
  std::vector<ValueId> inputs(graph.values().size());
  for (const NodeId id : graph.main().nodes) {
    const Node& node = graph[id];
    if (!operatorTraits(node).rectifies) continue;
    const ValueId input = node.inputs.at(0);
    const ValueId output = node.outputs.at(0);
    if (!input.valid() || !output.valid() || graph.constant(input) != nullptr) continue;
    if (axes[input.at()].axis == axes[output.at()].axis) inputs[output.at()] = input;
  }
  return inputs;
}

}  // namespace quantscope
