#include "precision/parameters/encoded_names.h"

#include "precision/layers/node_tensors.h"

namespace quantscope {

EncodedNames::EncodedNames(const Graph& graph, const std::vector<FusedLayer>& layers,
                           const ObserverGroups& groups, std::multimap<ValueId, Weight> weights)
    : m_graph(graph),
      m_points(graph, layers, groups.points),
      m_groups(groups),
      m_weights(std::move(weights)) {}

std::set<std::size_t> EncodedNames::groupsOf(const PointName& name) const {
  std::set<std::size_t> found;
  for (const std::size_t point : m_points.find(name)) found.insert(m_groups.points[point].group);
  if (!found.empty() || !name.isOutput()) return found;
  // Inputs and constants have no producer; they are quantized on the edges to their consumers.
  const ValueId value = m_graph.findValue(name.producer);
  if (m_graph.findNode(name.producer).valid() || !value.valid()) return found;
  for (const QuantizationPoint& point : m_groups.points) {
    if (point.value == value) found.insert(point.group);
  }
  return found;
}

std::vector<EncodedNames::Weight> EncodedNames::weightsOf(const PointName& name) const {
  std::vector<Weight> found;
  const NodeId consumer = name.isOutput() ? NodeId() : m_graph.findNode(name.consumer);
  for (const auto& [value, weight] : m_weights) {
    const bool read = name.isOutput() || weight.first == consumer;
    if (read && producerName(m_graph, value) == name.producer) found.push_back(weight);
  }
  // A weight that a Constant node makes may be called by its own name as well.
  const ValueId value = m_graph.findValue(name.producer);
  if (!found.empty() || !name.isOutput() || !value.valid()) return found;
  const auto [first, last] = m_weights.equal_range(value);
  for (auto entry = first; entry != last; ++entry) found.push_back(entry->second);
  return found;
}

std::multimap<ValueId, EncodedNames::Weight> quantizedWeights(const Engine& engine,
                                                              const std::vector<FusedLayer>& layers,
                                                              const std::vector<bool>& quantized) {
  std::multimap<ValueId, EncodedNames::Weight> weights;
  for (const FusedLayer& layer : layers) {
    const NodeId lead = layer.lead();
    if (!quantized[lead.at()]) continue;
    const Node& node = engine.graph()[lead];
    for (const std::size_t input : weightInputs(engine, node)) {
      weights.emplace(node.inputs[input], EncodedNames::Weight{lead, input});
    }
  }
  return weights;
}

}  // namespace quantscope
