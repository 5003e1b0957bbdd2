#include "engine/evaluation/value_keys.h"

namespace quantscope {
namespace {

/// Tells the outputs of a node from each other, and from the values inside it.
enum class KeyPlace : std::uint64_t { Outside, Output, Inside };

ContentId keyAt(ContentId whole, KeyPlace place, std::size_t index) {
  return combined({whole, {static_cast<std::uint64_t>(place), index}});
}

ContentId effectOn(const AppliedQuantization* quantization, NodeId node) {
  return quantization == nullptr ? ContentId{} : quantization->effect(node);
}

void addEffects(const Graph& graph, NodeId id, const AppliedQuantization* quantization,
                ContentHasher& hasher) {
  hasher.add(effectOn(quantization, id));
  for (const auto& [name, body] : graph[id].bodies) {
    for (const NodeId inside : graph[body].nodes) addEffects(graph, inside, quantization, hasher);
  }
}

template <class KeyOf>
ContentId nodeKey(const Engine& engine, NodeId id, const AppliedQuantization* quantization,
                  const KeyOf& keyOf) {
  ContentHasher hasher;
  hasher.add(engine.content()).add(static_cast<std::uint64_t>(id.at()));
  addEffects(engine.graph(), id, quantization, hasher);
  for (const ValueId read : readValues(engine.graph(), id)) hasher.add(keyOf(read));
  return hasher.id();
}

}  // namespace

ValueKeys::ValueKeys(const Engine& engine, const AppliedQuantization* quantization)
    : m_engine(engine), m_keys(engine.graph().values().size()) {
  const Graph& graph = engine.graph();
  for (std::size_t i = 0; i < m_keys.size(); ++i) {
    const ValueId value(i);
    const bool given = graph[value].block == Graph::mainBlock() && !graph[value].producer.valid();
    if (given || engine.constant(value) != nullptr) {
      m_keys[i] = keyAt(engine.content(), KeyPlace::Outside, i);
    }
  }
  for (const NodeId node : graph.main().nodes) addNode(node, quantization);
}

void ValueKeys::addNode(NodeId id, const AppliedQuantization* quantization) {
  const Node& node = m_engine.graph()[id];
  const ContentId whole =
      nodeKey(m_engine, id, quantization, [this](ValueId read) { return m_keys[read.at()]; });
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const ValueId output = node.outputs[i];
    if (!output.valid() || m_engine.constant(output) != nullptr) continue;
    m_keys[output.at()] = keyAt(whole, KeyPlace::Output, i);
  }
  for (const auto& [name, body] : node.bodies) addInside(body, whole);
}

void ValueKeys::addInside(BlockId body, ContentId owner) {
  const Graph& graph = m_engine.graph();
  const auto add = [&](ValueId value) {
    if (value.valid() && m_engine.constant(value) == nullptr) {
      m_keys[value.at()] = keyAt(owner, KeyPlace::Inside, value.at());
    }
  };
  for (const ValueId input : graph[body].inputs) add(input);
  for (const NodeId id : graph[body].nodes) {
    for (const ValueId output : graph[id].outputs) add(output);
    for (const auto& [name, inner] : graph[id].bodies) addInside(inner, owner);
  }
}

ContentId ValueKeys::after(std::span<const NodeId> nodes,
                           const AppliedQuantization& quantization) const {
  ValueId before;
  ContentId key;
  for (const NodeId id : nodes) {
    const ContentId whole = nodeKey(m_engine, id, &quantization, [&](ValueId read) {
      return read == before ? key : m_keys[read.at()];
    });
    before = m_engine.graph()[id].outputs.at(0);
    key = keyAt(whole, KeyPlace::Output, 0);
  }
  return key;
}

}  // namespace quantscope
