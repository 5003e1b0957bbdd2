#include "precision/parameters/layer_weights.h"

#include <algorithm>

#include "base/error.h"
#include "engine/fake_quantize_tensor.h"
#include "precision/layers/batch_norm_folding.h"
#include "precision/layers/input_channels.h"
#include "precision/layers/node_tensors.h"
#include "precision/parameters/weight_quantization.h"

namespace quantscope {
namespace {

class WeightQuantizer {
 public:
  WeightQuantizer(const Engine& engine, const FusedLayer& layer, const TensorPrecision& precision,
                  Convention convention, const std::optional<QuantParams>& activation,
                  const JobContext* job, std::span<const double> inputFactors)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_layer(layer),
        m_node(m_graph[layer.lead()]),
        m_precision(precision),
        m_convention(convention),
        m_activation(activation),
        m_job(job),
        m_inputFactors(inputFactors) {}

  LayerWeights run() {
    const std::vector<std::size_t> inputs = weightInputs(m_engine, m_node);
    if (inputs.empty()) return {};
    const NodeId lead = m_layer.lead();
    m_result.folded = normOf(m_graph, m_layer);
    Tensor bias;
    for (const std::size_t input : inputs) {
      // Only the layers that have a bias have their weights in the second place alone.
      const bool foldable = inputs.size() == 1 && input == 1;
      FoldedWeights folded =
          foldable ? foldBatchNorm(m_engine, lead, m_result.folded)
                   : FoldedWeights{toFloat32(*m_engine.constant(m_node.inputs[input])), {}};
      if (!m_inputFactors.empty()) {
        folded.weight = dividedByInputChannel(m_node, input, folded.weight, m_inputFactors);
      }
      m_result.elements += folded.weight.elementCount();
      m_result.constants.push_back({lead, input, quantizeWeight(input, folded.weight)});
      if (foldable) bias = folded.bias;
    }
    placeBias(bias);
    return std::move(m_result);
  }

 private:
  Tensor quantizeWeight(std::size_t input, const Tensor& weight) {
    if (!isQuantized(m_precision.type)) return weight;
    const int axis = outputChannelAxis(m_node, input, weight.shape());
    try {
      const QuantParams params = weightParams(weight, m_precision, axis, m_convention, m_job);
      m_result.scales += params.grids.size();
      if (!m_result.params) m_result.params = params;
      return fakeQuantize(weight, params);
    } catch (const Error& error) {
      throw error.at(
          {.file = {}, .node = m_node.name, .value = m_graph[m_node.inputs[input]].name});
    }
  }

  // The bias of a convolution or Gemm is its third input; that of a linear layer written as MatMul
  // and Add is a constant of the Add.
  void placeBias(Tensor bias) {
    NodeId holder = m_layer.lead();
    std::size_t slot = 2;
    if (m_node.op == "MatMul") {
      if (m_layer.members.size() < 2 || m_graph[m_layer.members[1]].op != "Add") return;
      holder = m_layer.members[1];
      const Node& add = m_graph[holder];
      slot = m_engine.constant(add.inputs.at(1)) != nullptr ? 1 : 0;
      bias = toFloat32(*m_engine.constant(add.inputs[slot]));
    }
    if (!bias.defined()) return;
    if (biasIsInteger(bias)) {
      const QuantizedBias quantized =
          quantizeBias(bias, m_activation->grids.front().scale, *m_result.params);
      bias = quantized.values;
      m_result.biasOverflows = quantized.overflows;
    }
    m_result.constants.push_back({holder, slot, bias});
  }

  // int32 only where one scale per output channel exists: input and weight integer and static.
  bool biasIsInteger(const Tensor& bias) const {
    const std::optional<QuantParams>& weight = m_result.params;
    if (!weight || !m_activation || m_activation->dynamic) return false;
    if (!isInteger(weight->type) || !isInteger(m_activation->type)) return false;
    if (m_activation->perChannel() || weight->groupSize > 0) return false;
    if (m_node.op == "Gemm" && (m_node.real("alpha", 1) != 1 || m_node.real("beta", 1) != 1)) {
      return false;
    }
    const std::size_t grids = weight->grids.size();
    if (grids == 1) return true;
    const std::size_t input = *weightInput(m_engine, m_node);
    const Shape& shape = m_engine.constant(m_node.inputs[input])->shape();
    return weight->axis == outputChannelAxis(m_node, input, shape) &&
           grids == bias.elementCount() && bias.shape().back() == static_cast<std::int64_t>(grids);
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const FusedLayer& m_layer;
  const Node& m_node;
  const TensorPrecision& m_precision;
  Convention m_convention;
  const std::optional<QuantParams>& m_activation;
  const JobContext* m_job;
  std::span<const double> m_inputFactors;
  LayerWeights m_result;
};

}  // namespace

LayerWeights quantizeWeights(const Engine& engine, const FusedLayer& layer,
                             const TensorPrecision& precision, Convention convention,
                             const std::optional<QuantParams>& activation, const JobContext* job,
                             std::span<const double> inputFactors) {
  return WeightQuantizer(engine, layer, precision, convention, activation, job, inputFactors).run();
}

NodeId normOf(const Graph& graph, const FusedLayer& layer) {
  const auto norm = std::ranges::find_if(
      layer.members, [&](NodeId id) { return graph[id].op == "BatchNormalization"; });
  return norm == layer.members.end() ? NodeId() : *norm;
}

}  // namespace quantscope
