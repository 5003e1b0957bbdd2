#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/job_context.h"
#include "engine/engine.h"
#include "precision/backend/backend.h"
#include "precision/config/precision_config.h"
#include "precision/layers/fused_patterns.h"

namespace quantscope {

/// A constant that takes the place of a node's input; see NodeQuantization::constants.
struct PlacedConstant {
  NodeId node;
  std::size_t input = 0;
  Tensor tensor;
};

/// What becomes of a layer's weights and bias.
struct LayerWeights {
  std::vector<PlacedConstant> constants;  ///< folded, fake-quantized
  NodeId folded;                          ///< the batch normalization that is in them; may be none
  std::optional<QuantParams> params;      ///< of the first of its weights
  std::size_t elements = 0;               ///< of all its weights
  std::size_t scales = 0;                 ///< likewise
  std::size_t biasOverflows = 0;          ///< bias elements beyond int32
};

/// What a configuration and its backend say of all weights.
struct WeightRules {
  Convention convention = Convention::Onnx;
  BiasRule bias = BiasRule::Float;

  friend bool operator==(const WeightRules&, const WeightRules&) = default;
};
WeightRules weightRules(const PrecisionConfig& config, const Backend& backend);

/// Quantizes the weights of a layer at `precision`, and its bias, which follows the rule where the
/// weights and `activation` (what goes into the layer; may be none) are static integers, and stays
/// float elsewhere.
///
/// `inputFactors`, one per input channel or none at all: what goes into the layer comes multiplied
/// by them, so that the weights that meet it are divided. Throws InvalidParameters where the
/// weights lack the axis of `precision`.
LayerWeights quantizeWeights(const Engine& engine, const FusedLayer& layer,
                             const TensorPrecision& precision, const WeightRules& rules,
                             const std::optional<QuantParams>& activation, const JobContext* job,
                             std::span<const double> inputFactors = {});

}  // namespace quantscope
