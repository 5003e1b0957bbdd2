#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/job_context.h"
#include "engine/engine.h"
#include "precision/backend/backend.h"
#include "precision/config/precision_config.h"
#include "precision/layers/fused_patterns.h"
#include "precision/parameters/resolved_encodings.h"

namespace quantscope {

/// A constant that takes the place of a node's input; see NodeQuantization::constants.
struct PlacedConstant {
  NodeId node;
  std::size_t input = 0;
  Tensor tensor;
};

/// The parameters of one weight of a layer.
struct WeightParams {
  std::size_t input = 0;  ///< of the layer's leading node
  QuantParams params;

  friend bool operator==(const WeightParams&, const WeightParams&) = default;
};

/// How a layer's bias is quantized.
struct BiasParams {
  NodeId holder;              ///< the node that has it: the leading one, or the Add of a MatMul
  std::size_t input = 0;      ///< of the holder; one past its inputs where folding brought it in
  int bits = 0;               ///< of an integer bias; 0 = it stays float
  std::vector<float> scales;  ///< of an integer bias: one, or one per output channel
  std::size_t overflows = 0;  ///< elements beyond int32, clamped

  friend bool operator==(const BiasParams&, const BiasParams&) = default;
};

/// A layer's quantized weights and bias.
struct LayerWeights {
  std::vector<PlacedConstant> constants;  ///< folded, fake-quantized
  NodeId folded;                          ///< the batch normalization that is in them; may be none
  std::vector<WeightParams> weights;      ///< the quantized ones, in the order of their inputs
  std::optional<BiasParams> bias;         ///< of a layer that has one, float or not
  std::size_t elements = 0;               ///< of all its weights
};

/// The rules of the configuration and the backend that apply to all weights.
struct WeightRules {
  Convention convention = Convention::Onnx;
  BiasRule bias = BiasRule::Float;

  friend bool operator==(const WeightRules&, const WeightRules&) = default;
};
WeightRules weightRules(const PrecisionConfig& config, const Backend& backend);

/// The settings of one layer's weights besides their precision.
struct WeightOverrides {
  /// One per input channel, or none at all: the layer's input comes multiplied by them, so the
  /// weights that meet it are divided.
  std::vector<float> inputFactors;
  /// By index of the weight among the node's inputs. They override the observers, and no bias
  /// changes them.
  std::map<std::size_t, NamedEncoding> encodings;
};

/// The encodings of a layer's weights.
std::map<std::size_t, NamedEncoding> encodingsOf(const Engine& engine,
                                                 const ResolvedEncodings& encodings,
                                                 const FusedLayer& layer);

/// True where a layer's bias can lie on the grid s_input · s_weight: input and weight are static
/// integers, with one scale in all or one per element of the bias. `weight` are the parameters of
/// input `slot` of the leading node.
bool hasIntegerBias(const Engine& engine, const Node& lead, std::size_t slot,
                    const QuantParams& weight, const QuantParams& activation, const Tensor& bias);

/// Quantizes the weights of a layer at `precision`, and its bias, which follows the rule if the
/// weights and `activation` (the layer's input; may be none) are static integers, and stays float
/// elsewhere.
///
/// Throws InvalidParameters where the weights lack the axis of `precision`, InvalidConfiguration
/// where an encoding does not fit.
LayerWeights quantizeWeights(const Engine& engine, const FusedLayer& layer,
                             const TensorPrecision& precision, const WeightRules& rules,
                             const std::optional<QuantParams>& activation, const JobContext* job,
                             const WeightOverrides& overrides = {});

}  // namespace quantscope
