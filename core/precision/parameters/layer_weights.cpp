#include "precision/parameters/layer_weights.h"

#include "base/error.h"
#include "engine/fake_quantize_tensor.h"
#include "graph/operator_traits.h"
#include "precision/layers/folded_layer.h"
#include "precision/layers/input_channels.h"
#include "precision/layers/node_tensors.h"
#include "precision/parameters/bias_quantization.h"
#include "precision/parameters/weight_quantization.h"

namespace quantscope {
namespace {

class WeightQuantizer {
 public:
  WeightQuantizer(const Engine& engine, const FusedLayer& layer, const TensorPrecision& precision,
                  const WeightRules& rules, const std::optional<QuantParams>& activation,
                  const JobContext* job, const WeightOverrides& overrides)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_layer(layer),
        m_node(m_graph[layer.lead()]),
        m_precision(precision),
        m_rules(rules),
        m_activation(activation),
        m_job(job),
        m_overrides(overrides) {}

  LayerWeights run() {
    const std::vector<std::size_t> inputs = weightInputs(m_engine, m_node);
    if (inputs.empty()) return {};
    m_result.folded = normalizationOf(m_graph, m_layer);
    if (inputs.size() == 1) {
      const FoldedWeights folded = foldLayer(m_engine, m_layer, inputs.front());
      const std::optional<InputPlace> place = biasPlace(m_engine, m_layer);
      if (place && folded.bias.defined()) m_bias = {place->node, place->slot, folded.bias};
      placeWeight(inputs.front(), folded.weight);
    } else {
      for (const std::size_t input : inputs) {
        placeWeight(input, toFloat32(*m_engine.constant(m_node.inputs[input])));
      }
    }
    placeBias();
    return std::move(m_result);
  }

 private:
  void placeWeight(std::size_t input, Tensor weight) {
    if (!m_overrides.inputFactors.empty()) {
      weight = dividedByInputChannel(m_node, input, weight, m_overrides.inputFactors);
    }
    m_result.elements += weight.elementCount();
    m_result.constants.push_back({m_layer.lead(), input, quantizeWeight(input, weight)});
  }

  Tensor quantizeWeight(std::size_t input, const Tensor& weight) {
    const auto encoding = m_overrides.encodings.find(input);
    const bool encoded = encoding != m_overrides.encodings.end();
    if (!isQuantized(m_precision.type) && !encoded) return weight;
    const int axis = outputChannelAxis(m_node, input, weight.shape());
    try {
      QuantParams params = encoded
                               ? encodedParams(weight, encoding->second)
                               : weightParams(weight, m_precision, axis, m_rules.convention, m_job);
      const bool fits = encoded || m_rules.bias != BiasRule::Int32Fit ||
                        !isIntegerBias(input, params) || biasBits(*m_activation) > 32;
      if (!fits) fitScalesToBias(m_bias.tensor, m_activation->grids.front().scale, params);
      Tensor rounded = fakeQuantize(weight, params);
      m_result.weights.push_back({input, std::move(params)});
      return rounded;
    } catch (const Error& error) {
      throw error.at(
          {.file = {}, .node = m_node.name, .value = m_graph[m_node.inputs[input]].name});
    }
  }

  QuantParams encodedParams(const Tensor& weight, const NamedEncoding& encoding) const {
    const std::span<const std::int64_t> extents = weight.shape().dimensions();
    const std::vector<std::int64_t> shape(extents.begin(), extents.end());
    return withEncoding(weightParamsWithoutGrids(m_precision, m_rules.convention), encoding,
                        &shape);
  }

  void placeBias() {
    if (!m_bias.tensor.defined()) return;
    m_result.bias = BiasParams{m_bias.node, m_bias.input, 0, {}, 0};
    if (m_rules.bias != BiasRule::Float && !m_result.weights.empty() &&
        isIntegerBias(m_result.weights.front().input, m_result.weights.front().params)) {
      m_result.bias->bits = biasBits(*m_activation);
      QuantizedBias quantized = quantizeBias(m_bias.tensor, m_activation->grids.front().scale,
                                             m_result.weights.front().params, m_result.bias->bits);
      m_bias.tensor = std::move(quantized.values);
      m_result.bias->scales = std::move(quantized.scales);
      m_result.bias->overflows = quantized.overflows;
    }
    m_result.constants.push_back(std::move(m_bias));
  }

  bool isIntegerBias(std::size_t slot, const QuantParams& weight) const {
    return m_bias.tensor.defined() && m_activation &&
           hasIntegerBias(m_engine, m_node, slot, weight, *m_activation, m_bias.tensor);
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const FusedLayer& m_layer;
  const Node& m_node;
  const TensorPrecision& m_precision;
  const WeightRules& m_rules;
  const std::optional<QuantParams>& m_activation;
  const JobContext* m_job;
  const WeightOverrides& m_overrides;
  PlacedConstant m_bias;  // as float
  LayerWeights m_result;
};

}  // namespace

WeightRules weightRules(const PrecisionConfig& config, const Backend& backend) {
  return {config.convention, config.bias.value_or(backend.bias)};
}

std::map<std::size_t, NamedEncoding> encodingsOf(const Engine& engine,
                                                 const ResolvedEncodings& encodings,
                                                 const FusedLayer& layer) {
  std::map<std::size_t, NamedEncoding> found;
  for (const std::size_t input : weightInputs(engine, engine.graph()[layer.lead()])) {
    if (const NamedEncoding* encoding = encodings.ofWeight(layer.lead(), input)) {
      found.emplace(input, *encoding);
    }
  }
  return found;
}

bool hasIntegerBias(const Engine& engine, const Node& lead, std::size_t slot,
                    const QuantParams& weight, const QuantParams& activation, const Tensor& bias) {
  if (activation.dynamic || !isInteger(weight.type) || !isInteger(activation.type)) return false;
  if (activation.perChannel() || weight.groupSize > 0) return false;
  const auto scales = operatorTraits(lead).scalesProduct;
  if (scales != nullptr && scales(lead)) return false;
  const std::size_t grids = weight.grids.size();
  if (grids == 1) return true;
  const Shape& shape = engine.constant(lead.inputs.at(slot))->shape();
  return weight.axis == outputChannelAxis(lead, slot, shape) && grids == bias.elementCount() &&
         bias.shape().back() == static_cast<std::int64_t>(grids);
}

LayerWeights quantizeWeights(const Engine& engine, const FusedLayer& layer,
                             const TensorPrecision& precision, const WeightRules& rules,
                             const std::optional<QuantParams>& activation, const JobContext* job,
                             const WeightOverrides& overrides) {
  return WeightQuantizer(engine, layer, precision, rules, activation, job, overrides).run();
}

}  // namespace quantscope
