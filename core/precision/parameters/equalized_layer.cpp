#include "precision/parameters/equalized_layer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "precision/layers/input_channels.h"
#include "precision/layers/node_tensors.h"
#include "precision/parameters/layer_weights.h"

namespace quantscope {
namespace {

using Points = std::vector<std::pair<std::size_t, QuantParams>>;

// As float, which is what a model that multiplies by them would hold.
std::vector<float> usable(std::span<const double> factors) {
  std::vector<float> result;
  for (const double s : factors) {
    const auto factor = static_cast<float>(s);
    result.push_back(std::isnormal(factor) && factor > 0 ? factor : 1);
  }
  return result;
}

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
                 const Observations& observations, const QuantizedModel& model, NodeId lead,
                 std::span<const double> factors)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_config(config),
        m_observations(observations),
        m_model(model),
        m_lead(lead),
        m_factors(usable(factors)) {}

  std::optional<QuantizationChanges> run() {
    if (!findEdge()) return std::nullopt;
    const std::optional<QuantParams> params = scaledParams();
    if (!params) return std::nullopt;
    if (!has(m_model.applied[m_lead].inputs, m_edge->input) && !freeFromProducers()) {
      return std::nullopt;
    }
    NodeQuantization& lead = changed(m_lead);
    const int axis = m_observations.find(m_edge->value)->channelAxis;
    lead.factors.emplace_back(m_edge->input, ChannelFactors{axis, m_factors});
    put(lead.inputs, m_edge->input, *params);
    replaceWeights(*params);
    QuantizationChanges changes;
    for (auto& [node, quantization] : m_changes) {
      changes.emplace_back(node, share(std::move(quantization)));
    }
    return changes;
  }

 private:
  NodeQuantization& changed(NodeId node) {
    return m_changes.try_emplace(node, m_model.applied[node]).first->second;
  }

  const std::optional<QuantParams>& sharedParams() const {
    return m_model.groupParams[m_edge->group];
  }

  bool findEdge() {
    const auto layer = std::ranges::find_if(
        m_model.layers, [&](const LayerQuantization& each) { return each.layer.lead() == m_lead; });
    const Node& node = m_graph[m_lead];
    const std::vector<std::size_t> weights = weightInputs(m_engine, node);
    if (layer == m_model.layers.end() || !layer->quantized || weights.size() != 1) return false;
    m_layer = &layer->layer;
    const std::size_t data = weights.front() == 0 ? 1 : 0;
    const Shape& weight = m_engine.constant(node.inputs[weights.front()])->shape();
    if (m_factors.size() != inputChannelCount(node, weights.front(), weight)) return false;
    const std::vector<QuantizationPoint>& points = m_model.groups.points;
    const auto edge = std::ranges::find_if(points, [&](const QuantizationPoint& point) {
      return point.consumer == m_lead && point.input == data;
    });
    if (edge == points.end()) return false;
    m_edge = &*edge;
    const Observation* observation = m_observations.find(m_edge->value);
    return observation != nullptr && observation->channels.size() == m_factors.size() &&
           meetsInputChannels(m_graph, node, weights.front(), m_edge->value,
                              observation->channelAxis);
  }

  // The grid of the scaled values, from the scaled ranges of their channels.
  std::optional<QuantParams> scaledParams() const {
    if (!sharedParams() || sharedParams()->perChannel() || !hasScale(sharedParams()->type)) {
      return std::nullopt;
    }
    QuantParams params = *sharedParams();
    if (params.dynamic) return params;
    const bool observed = m_edge->precision.observer.kind == ObserverSpec::Kind::MinMax &&
                          !m_edge->precision.range && !m_edge->fixed;
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

  // Nobody may see that the values before x, if any, are not rounded any more.
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
    const std::vector<double> factors(m_factors.begin(), m_factors.end());
    const LayerWeights weights = quantizeWeights(m_engine, *m_layer, m_config[m_lead].weight,
                                                 m_model.weightRules, activation, nullptr, factors);
    for (const PlacedConstant& constant : weights.constants) {
      put(changed(constant.node).constants, constant.input, constant.tensor);
    }
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const ResolvedConfig& m_config;
  const Observations& m_observations;
  const QuantizedModel& m_model;
  NodeId m_lead;
  std::vector<float> m_factors;
  const FusedLayer* m_layer = nullptr;
  const QuantizationPoint* m_edge = nullptr;
  std::set<ValueId> m_values;
  std::set<NodeId> m_producers;
  std::map<NodeId, NodeQuantization> m_changes;
};

}  // namespace

std::optional<QuantizationChanges> equalizeLayer(const Engine& engine, const ResolvedConfig& config,
                                                 const Observations& observations,
                                                 const QuantizedModel& model, NodeId lead,
                                                 std::span<const double> factors) {
  return LayerEqualizer(engine, config, observations, model, lead, factors).run();
}

}  // namespace quantscope
