#include "engine/operators/constant_inputs.h"

#include <algorithm>

namespace quantscope {
namespace {

// Weights are a few nodes away from their constants; a deeper search would only cost time.
constexpr int kDepth = 6;

bool isConstant(const Graph& graph, ValueId value, int depth) {
  if (!value.valid() || graph.constant(value) != nullptr) return true;
  const NodeId producer = graph[value].producer;
  if (!producer.valid() || depth == 0 || !graph[producer].bodies.empty()) return false;
  return std::ranges::all_of(graph[producer].inputs,
                             [&](ValueId input) { return isConstant(graph, input, depth - 1); });
}

}  // namespace

bool inputIsConstant(const Node& node, const Graph& graph, std::size_t index) {
  return index < node.inputs.size() && node.inputs[index].valid() &&
         isConstant(graph, node.inputs[index], kDepth);
}

}  // namespace quantscope
