#include "precision/parameters/parameter_cache.h"

#include <algorithm>
#include <set>

#include "precision/config/resolved_config.h"
#include "precision/layers/folded_layer.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

std::vector<ValueId> valuesOf(const ObserverGroups& groups, std::size_t group) {
  std::vector<ValueId> values;
  for (const std::size_t member : groups.members[group])
    values.push_back(groups.points[member].value);
  return values;
}

// Constants on edges belong to the grids, not to the weights.
std::set<std::size_t> edgesInto(const ObserverGroups& groups, NodeId node) {
  std::set<std::size_t> inputs;
  for (const QuantizationPoint& point : groups.points) {
    if (point.consumer == node) inputs.insert(point.input);
  }
  return inputs;
}

}  // namespace

ParameterCache::ParameterCache(const Engine& engine, const Configuration& config,
                               const QuantizedModel& model)
    : m_rules(model.weightRules) {
  if (!config.encodings->empty() || !config.repairs->empty()) return;
  for (std::size_t group = 0; group < model.groups.members.size(); ++group) {
    const QuantizationPoint& first = model.groups.points[model.groups.members[group].front()];
    m_byValues[valuesOf(model.groups, group)].push_back(
        {first.precision, first.fixed, model.groupParams[group]});
  }
  const ResolvedConfig resolved(engine.graph(), *config.precision);
  for (const LayerQuantization& layer : model.layers) {
    const NodeId lead = layer.layer.lead();
    const bool weighted = layer.quantized && weightInput(engine, engine.graph()[lead]).has_value();
    if (weighted) addLayer(engine, model, layer, resolved[lead].weight);
  }
}

void ParameterCache::addLayer(const Engine& engine, const QuantizedModel& model,
                              const LayerQuantization& layer, const TensorPrecision& precision) {
  const NodeId lead = layer.layer.lead();
  LayerWeights weights;
  weights.weights = layer.weights;
  weights.elements = layer.weightElements;
  weights.bias = layer.bias;
  weights.folded = normalizationOf(engine.graph(), layer.layer);
  const std::set<std::size_t> edges = edgesInto(model.groups, lead);
  for (const NodeId member : layer.layer.members) {
    for (const auto& [input, tensor] : model.applied[member].constants) {
      if (member != lead || !edges.contains(input)) {
        weights.constants.push_back({member, input, tensor});
      }
    }
  }
  m_byLead[lead] = {layer.layer.members, precision, layer.activation, std::move(weights)};
}

const std::optional<QuantParams>* ParameterCache::find(const ObserverGroups& groups,
                                                       std::size_t group) const {
  if (m_byValues.empty()) return nullptr;
  const auto found = m_byValues.find(valuesOf(groups, group));
  if (found == m_byValues.end()) return nullptr;
  const QuantizationPoint& first = groups.points[groups.members[group].front()];
  for (const CachedGrid& cached : found->second) {
    if (cached.precision == first.precision && cached.fixed == first.fixed) return &cached.params;
  }
  return nullptr;
}

const LayerWeights* ParameterCache::find(const FusedLayer& layer, const TensorPrecision& precision,
                                         const WeightRules& rules,
                                         const std::optional<QuantParams>& activation) const {
  const auto found = m_byLead.find(layer.lead());
  if (found == m_byLead.end()) return nullptr;
  const CachedLayer& cached = found->second;
  const bool same = m_rules == rules && cached.members == layer.members &&
                    cached.precision == precision && cached.activation == activation;
  return same ? &cached.weights : nullptr;
}

}  // namespace quantscope
