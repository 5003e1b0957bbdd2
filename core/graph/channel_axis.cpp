#include "graph/channel_axis.h"

#include <algorithm>

#include "graph/operator_traits.h"

namespace quantscope {
namespace {

ChannelAxis throughTranspose(const Node& node, ChannelAxis input) {
  const std::vector<std::int64_t> permutation = node.integers("perm");
  const int axis = input.of(permutation.size());
  const auto found = std::ranges::find(permutation, axis);
  if (axis < 0 || found == permutation.end()) return {};
  return {static_cast<int>(found - permutation.begin())};
}

ChannelAxis outputAxis(const Graph& graph, const Node& node, const std::vector<ChannelAxis>& axes) {
  const auto inputAxis = [&](ValueId input) {
    return input.valid() && graph.constant(input) == nullptr ? axes[input.at()] : ChannelAxis{};
  };
  switch (operatorTraits(node).channels) {
    case ChannelFlow::SecondAxis:
      return {1};
    case ChannelFlow::LastAxis:
      return {-1};
    case ChannelFlow::Permuted:
      return throughTranspose(node, inputAxis(node.inputs.at(0)));
    case ChannelFlow::Carried:
      for (const ValueId input : node.inputs) {
        const ChannelAxis axis = inputAxis(input);
        if (axis.exists()) return axis;
      }
      break;
    case ChannelFlow::Unknown:
      break;
  }
  return {};
}

// A value without channels from above has those that its readers look for: a convolution on axis 1,
// a linear layer, behind a Flatten for example, on the last.
ChannelAxis axisForReaders(const Graph& graph, ValueId value) {
  ChannelAxis axis;
  for (const NodeId reader : graph[value].consumers) {
    const Node& node = graph[reader];
    if (node.inputs.empty() || node.inputs[0] != value) continue;
    const ChannelFlow channels = operatorTraits(node).channels;
    if (channels == ChannelFlow::SecondAxis) return {1};
    const bool linear = channels == ChannelFlow::LastAxis && node.inputs.size() > 1 &&
                        node.inputs[1].valid() && graph.constant(node.inputs[1]) != nullptr;
    if (linear) axis = {-1};
  }
  return axis;
}

void visitBlock(const Graph& graph, BlockId block, std::vector<ChannelAxis>& axes) {
  for (const NodeId id : graph[block].nodes) {
    const Node& node = graph[id];
    for (const auto& [name, body] : node.bodies) visitBlock(graph, body, axes);
    if (node.inputs.empty()) continue;
    const ChannelAxis axis = outputAxis(graph, node, axes);
    for (const ValueId output : node.outputs) {
      if (output.valid()) axes[output.at()] = axis.exists() ? axis : axisForReaders(graph, output);
    }
  }
}

}  // namespace

int ChannelAxis::of(std::size_t rank) const {
  if (!exists()) return -1;
  const int normalized = axis < 0 ? axis + static_cast<int>(rank) : axis;
  return normalized >= 0 && normalized < static_cast<int>(rank) ? normalized : -1;
}

std::vector<ChannelAxis> findChannelAxes(const Graph& graph) {
  std::vector<ChannelAxis> axes(graph.values().size());
  for (const ValueId input : graph.inputs()) axes[input.at()] = axisForReaders(graph, input);
  visitBlock(graph, Graph::mainBlock(), axes);
  return axes;
}

}  // namespace quantscope
