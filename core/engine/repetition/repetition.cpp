#include "engine/repetition/repetition.h"

#include "engine/repetition/batched_scan.h"
#include "engine/repetition/loop.h"
#include "engine/repetition/scan.h"
#include "graph/operator_traits.h"

namespace quantscope {

std::unique_ptr<Repetition> makeRepetition(const Graph& graph, const Node& node,
                                           std::span<const Tensor> inputs) {
  if (operatorTraits(node).controlFlow == ControlFlow::Loop) {
    return std::make_unique<Loop>(graph, node, inputs);
  }
  if (node.version < 9) return std::make_unique<BatchedScan>(graph, node, inputs);
  return std::make_unique<Scan>(scanSettings(graph, node), inputs);
}

}  // namespace quantscope
