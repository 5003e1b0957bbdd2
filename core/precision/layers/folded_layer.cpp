#include "precision/layers/folded_layer.h"

#include <algorithm>

#include "graph/operator_traits.h"

namespace quantscope {
namespace {

// Only behind a product that has no place for a bias of its own is an addition its bias.
bool addsBiasOf(const Graph& graph, NodeId addition, NodeId product) {
  const OperatorTraits& traits = operatorTraits(graph[product]);
  return operatorTraits(graph[addition]).addsBias && traits.weightUse == WeightUse::Product &&
         !traits.biasSlot;
}

}  // namespace

std::optional<InputPlace> biasPlace(const Engine& engine, const FusedLayer& layer) {
  const Graph& graph = engine.graph();
  const OperatorTraits& traits = operatorTraits(graph[layer.lead()]);
  if (traits.weightUse != WeightUse::Product) return std::nullopt;
  if (traits.biasSlot) return InputPlace{layer.lead(), *traits.biasSlot};
  if (layer.members.size() < 2 || !addsBiasOf(graph, layer.members[1], layer.lead())) {
    return std::nullopt;
  }
  const std::vector<ValueId>& terms = graph[layer.members[1]].inputs;
  return InputPlace{layer.members[1], engine.constant(terms.at(1)) != nullptr ? 1U : 0U};
}

NodeId sumNode(const Graph& graph, const FusedLayer& layer) {
  NodeId last = layer.lead();
  for (const NodeId member : layer.members) {
    if (operatorTraits(graph[member]).foldsIntoWeights || addsBiasOf(graph, member, last)) {
      last = member;
    }
  }
  return last;
}

NodeId normalizationOf(const Graph& graph, const FusedLayer& layer) {
  const auto found = std::ranges::find_if(
      layer.members, [&](NodeId id) { return operatorTraits(graph[id]).foldsIntoWeights; });
  return found == layer.members.end() ? NodeId() : *found;
}

FoldedWeights foldLayer(const Engine& engine, const FusedLayer& layer, std::size_t slot) {
  const Graph& graph = engine.graph();
  const NodeId lead = layer.lead();
  const OperatorTraits& traits = operatorTraits(graph[lead]);
  if (traits.weightUse == WeightUse::Product && traits.biasSlot) {
    return foldBatchNorm(engine, lead, normalizationOf(graph, layer));
  }
  FoldedWeights folded{toFloat32(*engine.constant(graph[lead].inputs.at(slot))), {}};
  if (const std::optional<InputPlace> place = biasPlace(engine, layer)) {
    folded.bias = toFloat32(*engine.constant(graph[place->node].inputs[place->slot]));
  }
  return folded;
}

}  // namespace quantscope
