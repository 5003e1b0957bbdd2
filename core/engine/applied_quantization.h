#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "base/content_id.h"
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
  std::vector<std::pair<std::size_t, Tensor>> constants = {};
  /// Inputs multiplied by a factor per channel, before they are fake-quantized.
  std::vector<std::pair<std::size_t, ChannelFactors>> factors = {};
  /// Inputs fake-quantized on their edge before the node reads them.
  std::vector<std::pair<std::size_t, QuantParams>> inputs = {};
  /// Outputs that are fake-quantized before they are read.
  std::vector<std::pair<std::size_t, QuantParams>> outputs = {};

  bool empty() const {
    return !bypassed && constants.empty() && factors.empty() && inputs.empty() && outputs.empty();
  }
};

/// The id of the quantization's effect: equal if all parameters and constants are equal in content.
/// Invalid if nothing is applied.
ContentId effectId(const NodeQuantization& quantization);

/// The quantization of one node with the id of its effect; immutable.
struct AppliedNode {
  NodeQuantization quantization;
  ContentId effect;
};
/// Shared by the quantized models that apply the same; null where nothing is applied.
using SharedNode = std::shared_ptr<const AppliedNode>;

SharedNode share(NodeQuantization&& quantization);

/// Quantization as an argument of evaluation: one entry per node of the graph.
class AppliedQuantization {
 public:
  AppliedQuantization() = default;
  /// Applies nothing to any of the `nodes` nodes.
  explicit AppliedQuantization(std::size_t nodes) : m_nodes(nodes) {}

  std::size_t size() const { return m_nodes.size(); }
  const NodeQuantization& operator[](NodeId node) const;
  const SharedNode& shared(NodeId node) const { return m_nodes[node.at()]; }
  /// Invalid where nothing is applied.
  ContentId effect(NodeId node) const;

  void set(NodeId node, SharedNode applied) { m_nodes[node.at()] = std::move(applied); }
  void set(NodeId node, NodeQuantization&& quantization) {
    set(node, share(std::move(quantization)));
  }

 private:
  std::vector<SharedNode> m_nodes;
};

/// Replacements for the entries of some nodes in an AppliedQuantization.
using QuantizationChanges = std::vector<std::pair<NodeId, SharedNode>>;

/// The changes that turn `from` into `to`, of the same graph, in the order of the nodes.
QuantizationChanges changesBetween(const AppliedQuantization& from, const AppliedQuantization& to);

}  // namespace quantscope
