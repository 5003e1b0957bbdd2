#pragma once

#include <utility>
#include <vector>

#include "base/ids.h"
#include "quant/quant_params.h"
#include "tensor/tensor.h"

namespace quantscope {

/// One factor per channel of a tensor.
struct ChannelFactors {
  int axis = 0;  ///< of the logical shape
  std::vector<float> factors;

  friend bool operator==(const ChannelFactors&, const ChannelFactors&) = default;
};

/// The parameters that an evaluation applies to the edges and weights of one node.
struct NodeQuantization {
  /// The node was folded into its producer: its first output is its first input.
  bool bypassed = false;
  /// Inputs replaced by a constant: weights and biases, folded and already fake-quantized.
  /// The index may be one past the node's own inputs (a bias that folding brought in).
  std::vector<std::pair<std::size_t, Tensor>> constants;
  /// Inputs multiplied by a factor per channel, before they are fake-quantized.
  std::vector<std::pair<std::size_t, ChannelFactors>> factors;
  /// Inputs fake-quantized on their edge before the node reads them.
  std::vector<std::pair<std::size_t, QuantParams>> inputs;
  /// Outputs fake-quantized before anybody reads them.
  std::vector<std::pair<std::size_t, QuantParams>> outputs;

  bool empty() const {
    return !bypassed && constants.empty() && factors.empty() && inputs.empty() && outputs.empty();
  }
};

/// True where both do the same to every bit.
bool sameEffect(const NodeQuantization& a, const NodeQuantization& b);

/// Quantization as an argument of evaluation: one entry per node of the graph.
struct AppliedQuantization {
  std::vector<NodeQuantization> nodes;

  const NodeQuantization& operator[](NodeId id) const { return nodes[id.at()]; }
};

/// Entries for some nodes, to be put in the place of those that an AppliedQuantization has.
using QuantizationChanges = std::vector<std::pair<NodeId, NodeQuantization>>;

/// What turns `from` into `to`, of the same graph, in the order of the nodes.
QuantizationChanges changesBetween(const AppliedQuantization& from, const AppliedQuantization& to);

}  // namespace quantscope
