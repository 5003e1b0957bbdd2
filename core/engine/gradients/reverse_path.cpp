#include "engine/gradients/reverse_path.h"

#include <algorithm>

#include "base/error.h"
#include "engine/gradients/gradient_registry.h"

namespace quantscope {

ReversePath::ReversePath(const Engine& engine, std::span<const ValueId> outputs,
                         std::span<const ReverseSource> sources)
    : m_engine(engine),
      m_gradients(engine.graph().nodes().size()),
      m_reasons(m_gradients.size()),
      m_reached(engine.graph().values().size()),
      m_leads(m_reached.size()),
      m_whyNot(m_reached.size()),
      m_isSeen(m_reached.size()) {
  findReached(sources);
  findComplete(outputs);
  collectStops(sources);
}

void ReversePath::makeGradient(NodeId id) {
  const Node& node = m_engine.graph()[id];
  std::string reason;
  const GradientFactory factory = gradientRegistry().find(node);
  if (isControlFlow(node)) {
    reason = "it runs sub-graphs";
  } else if (m_engine.kernel(id) == nullptr) {
    reason = "it cannot be run";
  } else if (factory == nullptr) {
    reason = "the operator has none";
  } else {
    try {
      m_gradients[id.at()] = factory(node, m_engine.graph());
      return;
    } catch (const Error& error) {
      reason = error.sentence();
    }
  }
  m_reasons[id.at()] = "gradient not available: " + node.op + " '" + node.name + "': " + reason;
}

// Runs forwards. A node without a gradient still marks its outputs as depending on a source,
// because cotangents before it are unknown.
void ReversePath::findReached(std::span<const ReverseSource> sources) {
  const Graph& graph = m_engine.graph();
  for (const ReverseSource& source : sources) m_reached[source.value.at()] = 1;
  for (const NodeId id : graph.main().nodes) {
    const std::vector<ValueId> read = readValues(graph, id);
    const bool reached =
        std::ranges::any_of(read, [this](ValueId value) { return m_reached[value.at()] != 0; });
    if (!reached) continue;
    makeGradient(id);
    if (m_gradients[id.at()] != nullptr && m_gradients[id.at()]->vanishes()) continue;
    for (const ValueId output : graph[id].outputs) {
      if (output.valid()) m_reached[output.at()] = 1;
    }
  }
}

// Backwards. A cotangent is complete where those of all that depends on the value are.
void ReversePath::findComplete(std::span<const ValueId> outputs) {
  const Graph& graph = m_engine.graph();
  for (const ValueId output : outputs) m_leads[output.at()] = 1;
  const std::vector<NodeId>& nodes = graph.main().nodes;
  for (auto id = nodes.rbegin(); id != nodes.rend(); ++id) {
    const Gradient* gradient = m_gradients[id->at()].get();
    if (gradient != nullptr && gradient->vanishes()) continue;
    bool leads = false;
    std::string whyNot;
    for (const ValueId output : graph[*id].outputs) {
      if (!output.valid() || m_leads[output.at()] == 0) continue;
      leads = true;
      if (whyNot.empty()) whyNot = m_whyNot[output.at()];
    }
    if (!leads) continue;
    if (gradient == nullptr) whyNot = m_reasons[id->at()];
    for (const ValueId value : readValues(graph, *id)) {
      m_leads[value.at()] = 1;
      if (m_whyNot[value.at()].empty()) m_whyNot[value.at()] = whyNot;
    }
  }
}

bool ReversePath::flows(ValueId value) const {
  return value.valid() && m_reached[value.at()] != 0 && m_leads[value.at()] != 0 &&
         m_whyNot[value.at()].empty();
}

void ReversePath::see(ValueId value) {
  const bool computed = value.valid() && m_engine.constant(value) == nullptr;
  if (!computed || m_isSeen[value.at()] != 0) return;
  m_isSeen[value.at()] = 1;
  m_seen.push_back(value);
}

void ReversePath::collectStops(std::span<const ReverseSource> sources) {
  const Graph& graph = m_engine.graph();
  std::vector<std::size_t> position(m_gradients.size());
  for (const NodeId id : graph.main().nodes) {
    const Node& node = graph[id];
    position[id.at()] = m_stops.size();
    Stop& stop = m_stops.emplace_back();
    stop.node = id;
    const Gradient* gradient = m_gradients[id.at()].get();
    const bool passes = gradient != nullptr && !gradient->vanishes() &&
                        std::ranges::any_of(node.inputs, [this](ValueId v) { return flows(v); });
    if (!passes) continue;
    for (const ValueId input : node.inputs) stop.wanted.push_back(flows(input) ? 1 : 0);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId input = node.inputs[i];
      if (!input.valid()) continue;
      const bool read = gradient->readsInput(i, stop.wanted);
      if (read) stop.elements.push_back(input);
      if (read || gradient->readsShape(i)) see(input);
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i].valid() || !gradient->readsOutput(i)) continue;
      stop.elements.push_back(node.outputs[i]);
      see(node.outputs[i]);
    }
  }
  for (const ReverseSource& source : sources) {
    const NodeId producer = graph[source.value].producer;
    if (m_stops.empty()) break;
    Stop& stop = m_stops[producer.valid() ? position[producer.at()] : 0];
    for (const ValueId value : source.beside) {
      stop.elements.push_back(value);
      see(value);
    }
  }
  for (Stop& stop : m_stops) {
    std::ranges::sort(stop.elements);
    stop.elements.erase(std::ranges::unique(stop.elements).begin(), stop.elements.end());
  }
}

}  // namespace quantscope
