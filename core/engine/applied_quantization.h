#pragma once

#include <utility>
#include <vector>

#include "base/ids.h"
#include "quant/quant_params.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The parameters that an evaluation applies to the edges and weights of one node.
struct NodeQuantization {
  /// The node was folded into its producer: its first output is its first input.
  bool bypassed = false;
  /// Inputs replaced by a constant: weights and biases, folded and already fake-quantized.
  /// The index may be one past the node's own inputs (a bias that folding brought in).
  std::vector<std::pair<std::size_t, Tensor>> constants;
  /// Inputs fake-quantized on their edge before the node reads them.
  std::vector<std::pair<std::size_t, QuantParams>> inputs;
  /// Outputs fake-quantized before anybody reads them.
  std::vector<std::pair<std::size_t, QuantParams>> outputs;

  bool empty() const { return !bypassed && constants.empty() && inputs.empty() && outputs.empty(); }
};

/// Quantization as an argument of evaluation: one entry per node of the graph.
struct AppliedQuantization {
  std::vector<NodeQuantization> nodes;

  const NodeQuantization& operator[](NodeId id) const { return nodes[id.at()]; }
};

}  // namespace quantscope
