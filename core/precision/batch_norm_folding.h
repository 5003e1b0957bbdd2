#pragma once

#include "engine/engine.h"

namespace quantscope {

/// Weights and bias of a layer after folding.
struct FoldedWeights {
  Tensor weight;
  Tensor bias;  ///< undefined where there is none
};

/// The axis of a weight tensor that its output channels lie on: Conv 0, ConvTranspose 1, Gemm 0
/// with transB else 1, MatMul the last of a right-hand and the last but one of a left-hand weight.
/// `input` is the weight's place among the node's inputs.
int outputChannelAxis(const Node& node, std::size_t input, const Shape& weight);

/// Weights and bias of Conv, ConvTranspose or Gemm `lead` with batch normalization `norm` folded
/// in: w' = w·γ/√(σ²+ε), b' = (b−µ)·γ/√(σ²+ε) + β, per output channel, computed in double.
/// Without `norm` (invalid id) they come as they are.
FoldedWeights foldBatchNorm(const Engine& engine, NodeId lead, NodeId norm);

}  // namespace quantscope
