#include "precision/parameters/equalized_layer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/configuration_error.h"
#include "base/number_text.h"
#include "precision/config/repairs.h"
#include "precision/layers/input_channels.h"
#include "precision/layers/node_tensors.h"
#include "precision/parameters/layer_weights.h"

namespace quantscope {
namespace {

using Points = std::vector<std::pair<std::size_t, QuantParams>>;

bool has(const Points& points, std::size_t slot) {
  return std::ranges::find(points, slot, &Points::value_type::first) != points.end();
}

template <class What>
void put(std::vector<std::pair<std::size_t, What>>& entries, std::size_t slot, const What& what) {
  const auto found =
      std::ranges::find_if(entries, [&](const auto& entry) { return entry.first == slot; });
  if (found == entries.end()) {
    entries.emplace_back(slot, what);
  } else {
    found->second = what;
  }
}

class LayerEqualizer {
 public:
  LayerEqualizer(const Engine& engine, const ResolvedConfig& config,
                 const Observations& observations, const ResolvedEncodings& encodings,
                 QuantizedModel& model, NodeId lead, std::span<const float> factors)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_config(config),
        m_observations(observations),
        m_encodings(encodings),
        m_model(model),
        m_lead(lead),
        m_factors(factors.begin(), factors.end()) {}

  std::string run() {
    if (std::string reason = findEdge(); !reason.empty()) return reason;
    const std::optional<QuantParams> params = scaledParams();
    if (!params) return "the range of its input is not simply what was observed";
    if (!has(m_model.applied[m_lead].inputs, m_edge->input) && !freeFromProducers()) {
      return "its input is rounded before others read it";
    }
    NodeQuantization& lead = changed(m_lead);
    const int axis = m_observations.find(m_edge->value)->channelAxis;
    lead.factors.emplace_back(m_edge->input, ChannelFactors{axis, m_factors});
    put(lead.inputs, m_edge->input, *params);
    replaceWeights(*params);
    for (auto& [node, quantization] : m_changes) {
      m_model.applied.set(node, std::move(quantization));
    }
    return {};
  }

 private:
  NodeQuantization& changed(NodeId node) {
    return m_changes.try_emplace(node, m_model.applied[node]).first->second;
  }

  const std::optional<QuantParams>& sharedParams() const {
    return m_model.groupParams[m_edge->group];
  }

  // Why there is none; empty where there is one.
  std::string findEdge() {
    const auto layer = std::ranges::find_if(
        m_model.layers, [&](const LayerQuantization& each) { return each.layer.lead() == m_lead; });
    const Node& node = m_graph[m_lead];
    if (layer == m_model.layers.end() || !layer->quantized) return "the layer is not quantized";
    const std::vector<std::size_t> weights = weightInputs(m_engine, node);
    if (weights.size() != 1) return "the layer has not one constant weight";
    m_layer = &*layer;
    const std::size_t data = weights.front() == 0 ? 1 : 0;
    requireFactors(weights.front());
    const std::vector<QuantizationPoint>& points = m_model.groups.points;
    const auto edge = std::ranges::find_if(points, [&](const QuantizationPoint& point) {
      return point.consumer == m_lead && point.input == data;
    });
    if (edge == points.end()) return "its input is not quantized";
    m_edge = &*edge;
    const Observation* observation = m_observations.find(m_edge->value);
    const bool meets =
        observation != nullptr && observation->channels.size() == m_factors.size() &&
        meetsInputChannels(m_graph, node, weights.front(), m_edge->value, observation->channelAxis);
    return meets ? "" : "the channels of its input were not observed";
  }

  void requireFactors(std::size_t weight) const {
    const Node& node = m_graph[m_lead];
    const Shape& shape = m_engine.constant(node.inputs[weight])->shape();
    const std::size_t channels = inputChannelCount(node, weight, shape);
    if (m_factors.size() == channels) return;
    throw configurationError(equalizePath(node.name),
                             "has " + counted(m_factors.size(), "factor") + ", but the layer has " +
                                 counted(channels, "input channel"),
                             "write a factor for each of them");
  }

  // The grid of the scaled values, from the scaled ranges of their channels.
  std::optional<QuantParams> scaledParams() const {
    if (!sharedParams() || sharedParams()->perChannel() || !hasScale(sharedParams()->type)) {
      return std::nullopt;
    }
    QuantParams params = *sharedParams();
    if (params.dynamic) return params;
    const bool observed = m_edge->precision.observer.kind == ObserverSpec::Kind::MinMax &&
                          !m_edge->precision.range && !m_edge->fixed &&
                          m_encodings.ofGroup(m_edge->group) == nullptr;
    if (!observed || isSignCode(params.type)) return std::nullopt;
    const std::vector<Range>& channels = m_observations.find(m_edge->value)->channels;
    Range all;
    for (std::size_t c = 0; c < channels.size(); ++c) {
      if (channels[c].empty) continue;
      all.include(channels[c].low * m_factors[c]);
      all.include(channels[c].high * m_factors[c]);
    }
    if (all.empty || !std::isfinite(all.low) || !std::isfinite(all.high)) return std::nullopt;
    params.grids = {gridFromRange(all, params)};
    return params;
  }

  bool isOutput(ValueId value) const {
    return std::ranges::any_of(m_graph.blocks(), [&](const Block& block) {
      return std::ranges::find(block.outputs, value) != block.outputs.end();
    });
  }

  /// The values on the grid at hand, and the nodes that compute them.
  void collectGroup() {
    for (const std::size_t member : m_model.groups.members[m_edge->group]) {
      const ValueId value = m_model.groups.points[member].value;
      m_values.insert(value);
      if (m_graph[value].producer.valid()) m_producers.insert(m_graph[value].producer);
    }
  }

  // The values before x are not rounded any more, so they must have no other readers.
  bool onlyLeadToX() const {
    return std::ranges::all_of(m_values, [&](ValueId value) {
      if (isOutput(value)) return false;
      return value == m_edge->value ||
             std::ranges::all_of(m_graph[value].consumers,
                                 [&](NodeId reader) { return m_producers.contains(reader); });
    });
  }

  bool freeFromProducers() {
    collectGroup();
    if (!onlyLeadToX()) return false;
    for (const NodeId reader : m_graph[m_edge->value].consumers) {
      if (reader != m_lead && !keepRounded(reader)) return false;
    }
    for (const NodeId producer : m_producers) stopRounding(producer);
    return true;
  }

  bool keepRounded(NodeId reader) {
    const Node& node = m_graph[reader];
    if (m_engine.kernel(reader) == nullptr || node.block != m_graph[m_lead].block) return false;
    for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
      if (node.inputs[slot] != m_edge->value) continue;
      if (has(m_model.applied[reader].inputs, slot)) return false;
      changed(reader).inputs.emplace_back(slot, *sharedParams());
    }
    return true;
  }

  void stopRounding(NodeId producer) {
    const Node& node = m_graph[producer];
    NodeQuantization& quantization = changed(producer);
    std::erase_if(quantization.outputs,
                  [&](const auto& point) { return m_values.contains(node.outputs[point.first]); });
    std::erase_if(quantization.inputs, [&](const auto& point) {
      return point.first < node.inputs.size() && m_values.contains(node.inputs[point.first]);
    });
  }

  void replaceWeights(const QuantParams& activation) {
    const LayerWeights weights = quantizeWeights(
        m_engine, m_layer->layer, m_config[m_lead].weight, m_model.weightRules, activation, nullptr,
        {m_factors, encodingsOf(m_engine, m_encodings, m_layer->layer)});
    for (const PlacedConstant& constant : weights.constants) {
      put(changed(constant.node).constants, constant.input, constant.tensor);
    }
    m_layer->activation = activation;
    takeOver(weights, *m_layer);
    m_layer->equalized = true;
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const ResolvedConfig& m_config;
  const Observations& m_observations;
  const ResolvedEncodings& m_encodings;
  QuantizedModel& m_model;
  NodeId m_lead;
  std::vector<float> m_factors;
  LayerQuantization* m_layer = nullptr;
  const QuantizationPoint* m_edge = nullptr;
  std::set<ValueId> m_values;
  std::set<NodeId> m_producers;
  std::map<NodeId, NodeQuantization> m_changes;
};

}  // namespace

std::string equalizeLayer(const Engine& engine, const ResolvedConfig& config,
                          const Observations& observations, const ResolvedEncodings& encodings,
                          QuantizedModel& model, NodeId lead, std::span<const float> factors) {
  return LayerEqualizer(engine, config, observations, encodings, model, lead, factors).run();
}

}  // namespace quantscope
