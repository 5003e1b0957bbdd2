#include "precision/quantized_model.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "engine/fake_quantize_tensor.h"
#include "precision/batch_norm_folding.h"
#include "precision/group_params.h"
#include "precision/known_grids.h"
#include "precision/node_tensors.h"
#include "precision/weight_quantization.h"

namespace quantscope {
namespace {

class ModelQuantizer {
 public:
  ModelQuantizer(const Engine& engine, const PrecisionConfig& config,
                 const Observations& observations, const KnownGrids& known, const JobContext* job)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_config(config),
        m_resolved(m_graph, config),
        m_observations(observations),
        m_known(known),
        m_job(job),
        m_backendData(findBackend(config.backend)),
        m_backend(*m_backendData) {}

  QuantizedModel quantize() {
    requireEnoughSamples();
    const std::vector<FusedLayer> layers = findFusedLayers(m_engine, m_backend, m_resolved);
    m_quantized = findQuantizedNodes(m_engine, m_backend, m_resolved, layers);
    m_model.groups = findObserverGroups(m_engine, m_backend, m_resolved, layers);
    for (std::size_t group = 0; group < m_model.groups.members.size(); ++group) {
      throwIfCancelled();
      const std::optional<QuantParams>* known = m_known.find(m_model.groups, group);
      m_model.groupParams.push_back(known != nullptr
                                        ? *known
                                        : groupParams(m_engine, m_model.groups, group, m_backend,
                                                      m_config.convention, m_observations, m_job));
    }
    indexPoints();
    m_model.applied.nodes.resize(m_graph.nodes().size());
    for (const FusedLayer& layer : layers) {
      throwIfCancelled();
      quantizeLayer(layer);
    }
    m_model.notSupported = findNotSupported(m_engine, m_backend, m_resolved, layers);
    m_model.notices = m_resolved.notices();
    std::ranges::copy(m_model.groups.notices, std::back_inserter(m_model.notices));
    std::ranges::move(sentences(m_model.notSupported), std::back_inserter(m_model.notices));
    return std::move(m_model);
  }

 private:
  static constexpr std::size_t kNoPoint = static_cast<std::size_t>(-1);

  void throwIfCancelled() const {
    if (m_job != nullptr) m_job->throwIfCancelled();
  }

  void requireEnoughSamples() const {
    if (m_observations.samples() >= m_config.calibrationSamples) return;
    throw Error(ErrorCode::InsufficientData,
                "insufficient data: the configuration asks for " +
                    std::to_string(m_config.calibrationSamples) + " calibration samples but got " +
                    std::to_string(m_observations.samples()),
                {}, "give more samples or lower calibration_samples");
  }

  void indexPoints() {
    m_outputPoint.assign(m_graph.values().size(), kNoPoint);
    m_edges.resize(m_graph.nodes().size());
    for (std::size_t i = 0; i < m_model.groups.points.size(); ++i) {
      const QuantizationPoint& point = m_model.groups.points[i];
      if (point.isOutput()) {
        m_outputPoint[point.value.at()] = i;
      } else {
        m_edges[point.consumer.at()].push_back(i);
      }
    }
  }

  const std::optional<QuantParams>& paramsOf(std::size_t point) const {
    return m_model.groupParams[m_model.groups.points[point].group];
  }

  void quantizeLayer(const FusedLayer& layer) {
    LayerQuantization result;
    result.layer = layer;
    result.rule = m_resolved.rule(layer.lead());
    const Node& node = m_graph[layer.lead()];
    result.dataMover = isDataMover(m_graph, node) && !isEmbedding(m_engine, node);
    result.quantized = m_quantized[layer.lead().at()];
    const ValueId output = m_graph[layer.last()].outputs.at(0);
    const std::size_t outputPoint = output.valid() ? m_outputPoint[output.at()] : kNoPoint;
    if (outputPoint != kNoPoint) result.output = paramsOf(outputPoint);
    if (result.quantized) {
      quantizeEdges(result);
      quantizeWeights(result);
      if (outputPoint != kNoPoint) quantizeOutput(result);
    }
    m_model.layers.push_back(std::move(result));
  }

  NodeQuantization& applied(NodeId node) { return m_model.applied.nodes[node.at()]; }

  void quantizeEdges(LayerQuantization& result) {
    const NodeId lead = result.layer.lead();
    for (const std::size_t index : m_edges[lead.at()]) {
      const QuantizationPoint& point = m_model.groups.points[index];
      const std::optional<QuantParams>& params = paramsOf(index);
      if (!params) {
        result.notCalibrated =
            "no calibration sample reached its input '" + m_graph[point.value].name + "'";
        continue;
      }
      if (!result.activation) result.activation = params;
      if (const Tensor* constant = m_engine.constant(point.value)) {
        if (isFloat(constant->type()) && !params->dynamic) {
          applied(lead).constants.emplace_back(point.input, fakeQuantize(*constant, *params));
        }
        continue;
      }
      // What the producer leaves on this very grid is not rounded a second time.
      const std::size_t producer = m_outputPoint[point.value.at()];
      if (producer != kNoPoint && paramsOf(producer) == params && !params->dynamic) continue;
      applied(lead).inputs.emplace_back(point.input, *params);
    }
  }

  void quantizeOutput(LayerQuantization& result) {
    if (result.output) {
      applied(result.layer.last()).outputs.emplace_back(0, *result.output);
    } else {
      result.notCalibrated = "no calibration sample reached it";
    }
  }

  NodeId normOf(const FusedLayer& layer) const {
    const auto norm = std::ranges::find_if(
        layer.members, [&](NodeId id) { return m_graph[id].op == "BatchNormalization"; });
    return norm == layer.members.end() ? NodeId() : *norm;
  }

  void quantizeWeights(LayerQuantization& result) {
    const NodeId lead = result.layer.lead();
    const Node& node = m_graph[lead];
    const std::vector<std::size_t> inputs = weightInputs(m_engine, node);
    if (inputs.empty()) return;
    const NodeId norm = normOf(result.layer);
    Tensor bias;
    for (const std::size_t input : inputs) {
      // Only the layers that have a bias have their weights in the second place alone.
      const bool foldable = inputs.size() == 1 && input == 1;
      FoldedWeights folded =
          foldable ? foldBatchNorm(m_engine, lead, norm)
                   : FoldedWeights{toFloat32(*m_engine.constant(node.inputs[input])), {}};
      result.weightElements += folded.weight.elementCount();
      applied(lead).constants.emplace_back(input, quantizeWeight(result, input, folded.weight));
      if (foldable) bias = folded.bias;
    }
    if (norm.valid()) applied(norm).bypassed = true;
    placeBias(result, bias);
  }

  Tensor quantizeWeight(LayerQuantization& result, std::size_t input, const Tensor& weight) {
    const NodeId lead = result.layer.lead();
    const Node& node = m_graph[lead];
    const TensorPrecision& precision = m_resolved[lead].weight;
    if (!isQuantized(precision.type)) return weight;
    const int axis = outputChannelAxis(node, input, weight.shape());
    try {
      const QuantParams params = weightParams(weight, precision, axis, m_config.convention, m_job);
      result.weightScales += params.grids.size();
      if (!result.weight) result.weight = params;
      return fakeQuantize(weight, params);
    } catch (const Error& error) {
      throw error.at({.file = {}, .node = node.name, .value = m_graph[node.inputs[input]].name});
    }
  }

  // The bias of a convolution or Gemm is its third input; that of a linear layer written as MatMul
  // and Add is a constant of the Add.
  void placeBias(LayerQuantization& result, Tensor bias) {
    NodeId holder = result.layer.lead();
    std::size_t slot = 2;
    if (m_graph[holder].op == "MatMul") {
      if (result.layer.members.size() < 2 || m_graph[result.layer.members[1]].op != "Add") return;
      holder = result.layer.members[1];
      const Node& add = m_graph[holder];
      slot = m_engine.constant(add.inputs.at(1)) != nullptr ? 1 : 0;
      bias = toFloat32(*m_engine.constant(add.inputs[slot]));
    }
    if (!bias.defined()) return;
    if (biasIsInteger(result, bias)) {
      const QuantizedBias quantized =
          quantizeBias(bias, result.activation->grids.front().scale, *result.weight);
      bias = quantized.values;
      result.biasOverflows = quantized.overflows;
    }
    applied(holder).constants.emplace_back(slot, bias);
  }

  // int32 only where one scale per output channel exists: input and weight integer and static.
  bool biasIsInteger(const LayerQuantization& result, const Tensor& bias) const {
    const Node& node = m_graph[result.layer.lead()];
    if (!result.weight || !result.activation || result.activation->dynamic) return false;
    if (!isInteger(result.weight->type) || !isInteger(result.activation->type)) return false;
    if (result.activation->perChannel() || result.weight->groupSize > 0) return false;
    if (node.op == "Gemm" && (node.real("alpha", 1) != 1 || node.real("beta", 1) != 1))
      return false;
    const std::size_t grids = result.weight->grids.size();
    if (grids == 1) return true;
    const std::size_t input = *weightInput(m_engine, node);
    const Shape& shape = m_engine.constant(node.inputs[input])->shape();
    return result.weight->axis == outputChannelAxis(node, input, shape) &&
           grids == bias.elementCount() && bias.shape().back() == static_cast<std::int64_t>(grids);
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const PrecisionConfig& m_config;
  ResolvedConfig m_resolved;
  const Observations& m_observations;
  const KnownGrids& m_known;
  const JobContext* m_job;
  std::shared_ptr<const Backend> m_backendData;
  const Backend& m_backend;
  std::vector<bool> m_quantized;
  std::vector<std::size_t> m_outputPoint;         // by value
  std::vector<std::vector<std::size_t>> m_edges;  // by node
  QuantizedModel m_model;
};

}  // namespace

QuantizedModel quantizeModel(const Engine& engine, const PrecisionConfig& config,
                             const Observations& observations, const JobContext* job) {
  return quantizeModel(engine, config, observations, KnownGrids(), job);
}

QuantizedModel quantizeModel(const Engine& engine, const PrecisionConfig& config,
                             const Observations& observations, const KnownGrids& known,
                             const JobContext* job) {
  return ModelQuantizer(engine, config, observations, known, job).quantize();
}

}  // namespace quantscope
