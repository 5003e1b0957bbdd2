#include "precision/parameters/layer_weights.h"

#include <algorithm>

#include "base/error.h"
#include "engine/fake_quantize_tensor.h"
#include "precision/layers/batch_norm_folding.h"
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
    m_result.folded = normOf(m_graph, m_layer);
    // Only the layers that have a bias have their weights in the second place alone.
    const bool foldable = inputs.size() == 1 && inputs.front() == 1;
    if (foldable) {
      const FoldedWeights folded = foldBatchNorm(m_engine, m_layer.lead(), m_result.folded);
      findBias(folded.bias);
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
      const bool fits = encoded || m_rules.bias != BiasRule::Int32Fit || !hasIntegerBias(params) ||
                        biasBits(*m_activation) > 32;
      if (!fits) fitScalesToBias(m_bias.tensor, m_activation->grids.front().scale, params);
      m_result.scales += params.grids.size();
      if (!m_result.params) m_result.params = params;
      return fakeQuantize(weight, params);
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

  // The bias of a convolution or Gemm is its third input; that of a linear layer written as MatMul
  // and Add is a constant of the Add.
  void findBias(const Tensor& folded) {
    m_bias = {m_layer.lead(), 2, folded};
    if (m_node.op != "MatMul") return;
    m_bias.tensor = {};
    if (m_layer.members.size() < 2 || m_graph[m_layer.members[1]].op != "Add") return;
    const Node& add = m_graph[m_layer.members[1]];
    const std::size_t slot = m_engine.constant(add.inputs.at(1)) != nullptr ? 1 : 0;
    m_bias = {m_layer.members[1], slot, toFloat32(*m_engine.constant(add.inputs[slot]))};
  }

  void placeBias() {
    if (!m_bias.tensor.defined()) return;
    if (m_rules.bias != BiasRule::Float && m_result.params && hasIntegerBias(*m_result.params)) {
      QuantizedBias quantized = quantizeBias(m_bias.tensor, m_activation->grids.front().scale,
                                             *m_result.params, biasBits(*m_activation));
      m_bias.tensor = std::move(quantized.values);
      m_result.biasOverflows = quantized.overflows;
    }
    m_result.constants.push_back(std::move(m_bias));
  }

  // Only where one scale per output channel exists: input and weight integer and static.
  bool hasIntegerBias(const QuantParams& weight) const {
    if (!m_bias.tensor.defined() || !m_activation || m_activation->dynamic) return false;
    if (!isInteger(weight.type) || !isInteger(m_activation->type)) return false;
    if (m_activation->perChannel() || weight.groupSize > 0) return false;
    if (m_node.op == "Gemm" && (m_node.real("alpha", 1) != 1 || m_node.real("beta", 1) != 1)) {
      return false;
    }
    const std::size_t grids = weight.grids.size();
    if (grids == 1) return true;
    const Tensor& bias = m_bias.tensor;
    const std::size_t input = *weightInput(m_engine, m_node);
    const Shape& shape = m_engine.constant(m_node.inputs[input])->shape();
    return weight.axis == outputChannelAxis(m_node, input, shape) && grids == bias.elementCount() &&
           bias.shape().back() == static_cast<std::int64_t>(grids);
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

LayerWeights quantizeWeights(const Engine& engine, const FusedLayer& layer,
                             const TensorPrecision& precision, const WeightRules& rules,
                             const std::optional<QuantParams>& activation, const JobContext* job,
                             const WeightOverrides& overrides) {
  return WeightQuantizer(engine, layer, precision, rules, activation, job, overrides).run();
}

NodeId normOf(const Graph& graph, const FusedLayer& layer) {
  const auto norm = std::ranges::find_if(
      layer.members, [&](NodeId id) { return graph[id].op == "BatchNormalization"; });
  return norm == layer.members.end() ? NodeId() : *norm;
}

}  // namespace quantscope
