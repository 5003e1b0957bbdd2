#pragma once

#include <optional>

#include "precision/layers/batch_norm_folding.h"
#include "precision/layers/fused_patterns.h"

namespace quantscope {

/// An input of a node.
struct InputPlace {
  NodeId node;
  std::size_t slot = 0;
};

/// The input for a layer's bias: the leading node's own where its operator has one, filled or not;
/// of a linear layer written as MatMul and Add the constant of the Add. None of other layers.
std::optional<InputPlace> biasPlace(const Engine& engine, const FusedLayer& layer);

/// The node whose output is the layer's sum of products with its bias: the last member before an
/// activation function.
NodeId sumNode(const Graph& graph, const FusedLayer& layer);

/// The batch normalization among a layer's members; none where it has none.
NodeId normalizationOf(const Graph& graph, const FusedLayer& layer);

/// The weight of a layer in place `slot` of its leading node, and its bias, both float32, with its
/// batch normalization folded in. The bias is undefined where it has none, or one that is computed.
FoldedWeights foldLayer(const Engine& engine, const FusedLayer& layer, std::size_t slot);

}  // namespace quantscope
