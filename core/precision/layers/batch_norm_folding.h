#pragma once

#include "engine/engine.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {

/// Weights and bias of a layer after folding.
struct FoldedWeights {
  Tensor weight;
  Tensor bias;  ///< undefined where there is none
};

/// Weights and bias of Conv, ConvTranspose or Gemm `lead` with batch normalization `norm` folded
/// in: w' = w·γ/√(σ²+ε), b' = (b−µ)·γ/√(σ²+ε) + β, per output channel, computed in double.
/// Without `norm` (invalid id) they come as they are.
FoldedWeights foldBatchNorm(const Engine& engine, NodeId lead, NodeId norm);

}  // namespace quantscope
