#include "precision/parameters/quantized_model.h"

#include <algorithm>
#include <iterator>

#include "base/configuration_error.h"
#include "engine/fake_quantize_tensor.h"
#include "engine/plan.h"
#include "onnx/operator_versions.h"
#include "precision/backend/without_effect.h"
#include "precision/layers/layer_facts.h"
#include "precision/layers/node_tensors.h"
#include "precision/parameters/equalized_layer.h"
#include "precision/parameters/foreign_encodings.h"
#include "precision/parameters/group_params.h"
#include "precision/parameters/layer_weights.h"
#include "precision/parameters/parameter_keys.h"
#include "quant/quant_params_id.h"

namespace quantscope {
namespace {

class ModelQuantizer {
 public:
  ModelQuantizer(const Engine& engine, const Configuration& config,
                 const Observations& observations, ParameterCache& cache, const JobContext* job,
                 NodeId asked = {})
      : m_engine(engine),
        m_graph(engine.graph()),
        m_whole(config),
        m_config(*config.precision),
        m_resolved(m_graph, m_config),
        m_observations(observations),
        m_cache(cache),
        m_job(job),
        m_asked(asked),
        m_backendData(findBackend(m_config.backend)),
        m_backend(*m_backendData) {
    m_model.weightRules = weightRules(m_config, m_backend);
  }

  QuantizedModel quantize() {
    requireEnoughSamples();
    const ConfiguredLayers configured{m_engine, m_backend, m_resolved, facts()};
    m_facts = configured.facts;
    const std::vector<FusedLayer>& layers = configured.layers;
    m_quantized = configured.quantized;
    m_model.groups = findObserverGroups(configured);
    m_encodings.emplace(m_engine, *m_whole.encodings, layers, m_quantized, m_model.groups);
    for (std::size_t group = 0; group < m_model.groups.members.size(); ++group) {
      throwIfCancelled();
      m_model.groupParams.push_back(paramsOfGroup(group));
    }
    indexPoints();
    m_applied.resize(m_graph.nodes().size());
    m_constants.resize(m_graph.nodes().size());
    if (!m_asked.valid()) m_model.layers.reserve(layers.size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      throwIfCancelled();
      quantizeLayer(layers[i], configured.computes[i]);
    }
    shareApplied();
    for (const auto& [node, factors] : m_whole.repairs->equalize) equalize(node, factors);
    if (!m_asked.valid()) describe(configured);
    return std::move(m_model);
  }

 private:
  static constexpr std::size_t kNoPoint = static_cast<std::size_t>(-1);

  // For the user; nothing of it changes a number.
  void describe(const ConfiguredLayers& configured) {
    m_model.seats = placeObservers(m_model.groups);
    m_model.notSupported = findNotSupported(configured);
    m_model.notices = m_resolved.notices();
    std::ranges::move(noticesOf(findWithoutEffect(configured, m_model.groups, *m_encodings)),
                      std::back_inserter(m_model.notices));
    std::ranges::copy(m_encodings->notices(), std::back_inserter(m_model.notices));
    std::ranges::move(foreignEncodings(configured, m_model.groups, *m_encodings),
                      std::back_inserter(m_model.notices));
    std::ranges::move(m_notEqualized, std::back_inserter(m_model.notices));
    std::ranges::copy(m_model.groups.notices, std::back_inserter(m_model.notices));
    std::ranges::move(sentences(m_model.notSupported), std::back_inserter(m_model.notices));
    if (leavesDoublesAlone()) {
      m_model.notices.emplace_back(
          "no layer is quantized: float64 is left as it is; export the model in float32");
    }
    noteUnknownOpset();
  }

  // A later version of an operator may compute something else.
  void noteUnknownOpset() {
    for (const auto& [domain, opset] : m_graph.opsets) {
      if (!domain.empty() || opset <= kNewestKnownOpset) continue;
      m_model.notices.push_back("the model asks for opset " + std::to_string(opset) +
                                ", the newest known one is " + std::to_string(kNewestKnownOpset) +
                                ": operators are computed as they are defined there");
    }
  }

  bool leavesDoublesAlone() const {
    const auto isDouble = [&](const LayerQuantization& each) {
      const ValueId output = m_graph[each.layer.last()].outputs.at(0);
      return output.valid() && m_graph[output].type.element == ElementType::Float64;
    };
    return std::ranges::none_of(m_model.layers, &LayerQuantization::quantized) &&
           std::ranges::any_of(m_model.layers, isDouble);
  }

  // Equalizing looks its layers up.
  bool isListed(NodeId lead) const {
    return !m_asked.valid() || lead == m_asked || !m_whole.repairs->equalize.empty();
  }

  void throwIfCancelled() const {
    if (m_job != nullptr) m_job->throwIfCancelled();
  }

  std::shared_ptr<const LayerFacts> facts() {
    return m_cache.get<LayerFacts>(layerFactsKey(m_engine, m_backend),
                                   [this] { return LayerFacts(m_engine, m_backend); });
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

  std::optional<QuantParams> paramsOfGroup(std::size_t group) const {
    if (const NamedEncoding* encoding = m_encodings->ofGroup(group)) {
      return encodedGroupParams(m_graph, m_model.groups, group, m_backend, m_config.convention,
                                *encoding);
    }
    const ContentId key = groupParamsKey(m_engine, m_model.groups, group, m_backend,
                                         m_config.convention, m_observations);
    const auto search = [&] {
      return GroupParams{groupParams(m_engine, m_model.groups, group, m_backend,
                                     m_config.convention, m_observations, m_job)};
    };
    return m_cache.get<GroupParams>(key, search)->params;
  }

  void equalize(const std::string& name, const std::vector<float>& factors) {
    throwIfCancelled();
    const NodeId node = m_graph.findNode(name);
    if (!node.valid()) {
      throw configurationError(equalizePath(name), "matches no node of the model",
                               "use a name that `inspect` lists");
    }
    const std::string reason =
        equalizeLayer(m_engine, m_resolved, m_observations, *m_encodings, m_model, node, factors);
    // Before calibration the reason is unknown.
    if (reason.empty() || m_observations.samples() == 0) return;
    m_model.notEqualized.push_back(name);
    m_notEqualized.push_back("'" + equalizePath(name) + "' has no effect: " + reason);
  }

  // `what`: the value, in a sentence.
  std::string whyNoRange(ValueId value, const std::string& what) {
    if (const Tensor* constant = m_engine.constant(value)) {
      return what + (constant->elementCount() == 0 ? " has no elements" : " has no finite number");
    }
    const Observation* seen = m_observations.find(value);
    if (seen != nullptr && seen->nonFinite > 0) return what + " has no finite number in any sample";
    if (seen != nullptr) return what + " has no elements in any sample";
    if (isOutOfReach(value)) return what + " cannot be computed";
    return "no calibration sample reached " + what;
  }

  bool isOutOfReach(ValueId value) {
    if (m_engine.notExecutable().empty()) return false;
    if (!m_outOfReach) m_outOfReach = planForAllValues(m_engine).notComputed();
    return std::ranges::find(*m_outOfReach, value) != m_outOfReach->end();
  }

  void quantizeLayer(const FusedLayer& layer, bool computes) {
    const bool listed = isListed(layer.lead());
    if (!listed && !m_quantized[layer.lead().at()]) return;
    LayerQuantization result;
    result.layer = layer;
    result.computes = computes;
    result.rule = m_resolved.rule(layer.lead());
    result.dataMover = m_facts->dataMovers[layer.lead().at()];
    result.quantized = m_quantized[layer.lead().at()];
    const ValueId output = m_graph[layer.last()].outputs.at(0);
    const std::size_t outputPoint = output.valid() ? m_outputPoint[output.at()] : kNoPoint;
    if (outputPoint != kNoPoint) {
      result.outputPoint = outputPoint;
      result.output = paramsOf(m_model, outputPoint);
    }
    if (result.quantized) {
      quantizeEdges(result);
      quantizeWeights(result);
      if (outputPoint != kNoPoint) quantizeOutput(result);
    }
    if (listed) m_model.layers.push_back(std::move(result));
  }

  NodeQuantization& applied(NodeId node) { return m_applied[node.at()]; }

  void quantizeEdges(LayerQuantization& result) {
    const NodeId lead = result.layer.lead();
    result.edges = m_edges[lead.at()];
    for (const std::size_t index : result.edges) {
      const QuantizationPoint& point = m_model.groups.points[index];
      const std::optional<QuantParams>& params = paramsOf(m_model, index);
      if (!params) {
        result.notCalibrated =
            whyNoRange(point.value, "its input '" + m_graph[point.value].name + "'");
        continue;
      }
      if (!result.activation) result.activation = params;
      if (const Tensor* constant = m_engine.constant(point.value)) {
        if (isFloat(constant->type()) && !params->dynamic) {
          placeConstant(lead, point.input, fakeQuantize(*constant, *params),
                        roundedConstantKey(m_engine, point.value, *params));
        }
        continue;
      }
      // A value that its producer already rounds to this grid is not rounded a second time.
      const std::size_t producer = m_outputPoint[point.value.at()];
      if (producer != kNoPoint && paramsOf(m_model, producer) == params && !params->dynamic)
        continue;
      applied(lead).inputs.emplace_back(point.input, *params);
    }
  }

  void quantizeOutput(LayerQuantization& result) {
    if (result.output) {
      applied(result.layer.last()).outputs.emplace_back(0, *result.output);
    } else {
      result.notCalibrated = whyNoRange(m_graph[result.layer.last()].outputs.at(0), "it");
    }
  }

  void quantizeWeights(LayerQuantization& result) {
    const NodeId lead = result.layer.lead();
    const TensorPrecision& precision = m_resolved[lead].weight;
    const WeightOverrides overrides{{}, encodingsOf(m_engine, *m_encodings, result.layer)};
    const WeightRules& rules = m_model.weightRules;
    const ContentId key =
        layerWeightsKey(m_engine, result.layer, precision, rules, result.activation, overrides);
    const auto round = [&] {
      return quantscope::quantizeWeights(m_engine, result.layer, precision, rules,
                                         result.activation, m_job, overrides);
    };
    const std::shared_ptr<const LayerWeights> shared = m_cache.get<LayerWeights>(key, round);
    const LayerWeights& weights = *shared;
    takeOver(weights, result);
    for (std::size_t i = 0; i < weights.constants.size(); ++i) {
      const PlacedConstant& constant = weights.constants[i];
      placeConstant(constant.node, constant.input, constant.tensor, keyOfConstant(key, i));
    }
    if (weights.folded.valid()) applied(weights.folded).bypassed = true;
  }

  static ContentId keyOfConstant(ContentId weights, std::size_t index) {
    if (!weights.valid()) return {};
    return ContentHasher().add(weights).add(std::uint64_t{index}).id();
  }

  void placeConstant(NodeId node, std::size_t input, const Tensor& tensor, ContentId key) {
    applied(node).constants.emplace_back(input, tensor);
    m_constants[node.at()].push_back(key);
  }

  // Hashing the constants of a node would take longest, so its key hashes the keys of their
  // origins.
  ContentId appliedKey(std::size_t node) const {
    const NodeQuantization& applied = m_applied[node];
    ContentHasher hasher;
    hasher.add("applied").add(std::uint64_t{applied.bypassed});
    hasher.add(std::uint64_t{applied.constants.size()});
    for (std::size_t i = 0; i < applied.constants.size(); ++i) {
      if (!m_constants[node][i].valid()) return {};
      hasher.add(std::uint64_t{applied.constants[i].first}).add(m_constants[node][i]);
    }
    for (const auto* points : {&applied.inputs, &applied.outputs}) {
      hasher.add(std::uint64_t{points->size()});
      for (const auto& [place, params] : *points) {
        hasher.add(std::uint64_t{place}).add(contentId(params));
      }
    }
    return hasher.id();
  }

  void shareApplied() {
    m_model.applied = AppliedQuantization(m_applied.size());
    for (std::size_t i = 0; i < m_applied.size(); ++i) {
      if (m_applied[i].empty()) continue;
      throwIfCancelled();
      const ContentId key = appliedKey(i);
      SharedNode node = key.valid() ? m_cache.find<AppliedNode>(key) : nullptr;
      if (node == nullptr) {
        node = share(std::move(m_applied[i]));
        if (key.valid()) m_cache.insertAny(key, node);
      }
      m_model.applied.set(NodeId(i), std::move(node));
    }
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const Configuration& m_whole;
  const PrecisionConfig& m_config;
  ResolvedConfig m_resolved;
  const Observations& m_observations;
  ParameterCache& m_cache;
  const JobContext* m_job;
  NodeId m_asked;  ///< the lead of the only layer to list; invalid = all
  std::shared_ptr<const Backend> m_backendData;
  const Backend& m_backend;
  std::shared_ptr<const LayerFacts> m_facts;
  std::vector<bool> m_quantized;
  std::optional<ResolvedEncodings> m_encodings;
  std::vector<std::size_t> m_outputPoint;           // by value
  std::vector<std::vector<std::size_t>> m_edges;    // by node
  std::vector<NodeQuantization> m_applied;          // by node
  std::vector<std::vector<ContentId>> m_constants;  // by node: keys of its constants
  QuantizedModel m_model;
  std::vector<std::string> m_notEqualized;
  std::optional<std::vector<ValueId>> m_outOfReach;  // found when it is asked for
};

// Invalid under a backend from a file, which may have changed.
ContentId modelKey(const Engine& engine, const Configuration& config,
                   const Observations& observations) {
  if (isBackendFile(config.precision->backend) || !engine.content().valid()) return {};
  return combined({engine.content(), observations.id(), config.precision.id(),
                   config.encodings.id(), config.repairs.id()});
}

}  // namespace

bool sameLayers(const QuantizedModel& a, const QuantizedModel& b) {
  const auto same = [](const LayerQuantization& x, const LayerQuantization& y) {
    return x.layer.members == y.layer.members && x.dataMover == y.dataMover &&
           x.computes == y.computes;
  };
  return &a == &b || std::ranges::equal(a.layers, b.layers, same);
}

bool isStaticInteger(const std::optional<QuantParams>& params) {
  return params && isInteger(params->type) && !params->dynamic;
}

const std::optional<QuantParams>& paramsOf(const QuantizedModel& model, std::size_t point) {
  return model.groupParams[model.groups.points[point].group];
}

void takeOver(const LayerWeights& weights, LayerQuantization& layer) {
  layer.weights = weights.weights;
  layer.weightElements = weights.elements;
  layer.bias = weights.bias;
  layer.weight.reset();
  if (!weights.weights.empty()) layer.weight = weights.weights.front().params;
}

std::size_t biasOverflows(const LayerQuantization& layer) {
  return layer.bias ? layer.bias->overflows : 0;
}

QuantizedModel quantizeModel(const Engine& engine, const Configuration& config,
                             const Observations& observations, const JobContext* job) {
  ParameterCache nothing(0);
  return ModelQuantizer(engine, config, observations, nothing, job).quantize();
}

std::shared_ptr<const QuantizedModel> quantizeModel(const Engine& engine,
                                                    const Configuration& config,
                                                    const Observations& observations,
                                                    ParameterCache& cache, const JobContext* job) {
  return cache.get<QuantizedModel>(modelKey(engine, config, observations), [&] {
    return ModelQuantizer(engine, config, observations, cache, job).quantize();
  });
}

QuantizedVariant quantizeVariant(const Engine& engine, const Configuration& config,
                                 const Observations& observations, ParameterCache& cache,
                                 NodeId lead) {
  QuantizedModel model =
      ModelQuantizer(engine, config, observations, cache, nullptr, lead).quantize();
  QuantizedVariant variant{std::move(model.applied), {}};
  const auto layer = std::ranges::find_if(
      model.layers, [&](const LayerQuantization& each) { return each.layer.lead() == lead; });
  if (layer != model.layers.end()) variant.layer = std::move(*layer);
  return variant;
}

}  // namespace quantscope
