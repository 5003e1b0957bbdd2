#include "precision/layers/fused_patterns.h"

#include <algorithm>

#include "graph/operator_traits.h"

namespace quantscope {
namespace {

class PatternFinder {
 public:
  PatternFinder(const Engine& engine, const Backend& backend, const ResolvedConfig& config,
                const std::vector<bool>& floats)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_backend(backend),
        m_config(config),
        m_taken(m_graph.nodes().size(), false),
        m_floats(floats),
        m_isOutput(m_graph.values().size(), false) {
    for (const Block& block : m_graph.blocks()) {
      for (const ValueId output : block.outputs) m_isOutput[output.at()] = true;
    }
  }

  std::vector<FusedLayer> find() {
    m_layers.reserve(m_graph.nodes().size());
    visitBlock(Graph::mainBlock());
    return std::move(m_layers);
  }

 private:
  void visitBlock(BlockId block) {
    for (const NodeId id : m_graph[block].nodes) {
      for (const auto& [name, body] : m_graph[id].bodies) visitBlock(body);
      if (m_taken[id.at()] || isConstant(id)) continue;
      m_layers.push_back({collect(id)});
    }
  }

  bool isConstant(NodeId id) const {
    return std::ranges::all_of(m_graph[id].outputs, [&](ValueId output) {
      return !output.valid() || m_engine.constant(output) != nullptr;
    });
  }

  std::vector<NodeId> collect(NodeId lead) {
    std::vector<NodeId> members{lead};
    const PatternRule* rule = m_backend.patternOf(m_graph[lead].op);
    if (rule == nullptr || m_config[lead].float32 || m_floats[lead.at()]) return members;
    for (const std::vector<std::string>& stage : rule->followers) {
      const NodeId next = follower(members.back());
      if (!next.valid() || !matches(next, members.back(), lead, stage)) continue;
      members.push_back(next);
      m_taken[next.at()] = true;
    }
    return members;
  }

  // The only reader of the node's only output, in the same block; none where there are others.
  NodeId follower(NodeId id) const {
    const Node& node = m_graph[id];
    const ValueId output = node.outputs.at(0);
    if (!output.valid() || m_isOutput[output.at()]) return {};
    const std::vector<NodeId>& consumers = m_graph[output].consumers;
    if (consumers.size() != 1 || m_graph[consumers[0]].block != node.block) return {};
    return std::ranges::count(m_graph[consumers[0]].inputs, output) == 1 ? consumers[0] : NodeId();
  }

  bool matches(NodeId id, NodeId before, NodeId lead, const std::vector<std::string>& stage) const {
    const Node& node = m_graph[id];
    if (std::ranges::find(stage, node.op) == stage.end() || !node.domain.empty()) return false;
    if (m_config.names(id) || m_taken[id.at()] || m_floats[id.at()]) return false;
    const ValueId input = m_graph[before].outputs.at(0);
    const bool othersConstant = std::ranges::all_of(node.inputs, [&](ValueId other) {
      return other == input || !other.valid() || m_engine.constant(other) != nullptr;
    });
    if (!othersConstant) return false;
    if (operatorTraits(node).foldsIntoWeights) return foldsIntoWeights(id, lead);
    if (operatorTraits(node).addsBias) return isBiasOfMatMul(node, input, lead);
    return node.inputs.at(0) == input;
  }

  bool foldsIntoWeights(NodeId id, NodeId lead) const {
    const Node& node = m_graph[id];
    const Node& leading = m_graph[lead];
    const OperatorTraits& traits = operatorTraits(leading);
    // Without a bias input, the summand of the normalization cannot be folded.
    if (!traits.biasSlot || (traits.scalesProduct != nullptr && traits.scalesProduct(leading))) {
      return false;
    }
    const auto optionalIsConstant = [&](std::size_t index) {
      return index >= leading.inputs.size() || !leading.inputs[index].valid() ||
             m_engine.constant(leading.inputs[index]) != nullptr;
    };
    if (leading.inputs.size() < 2 || m_engine.constant(leading.inputs[1]) == nullptr) return false;
    const bool complete =
        node.inputs.size() == 5 && node.integer("training_mode", 0) == 0 &&
        std::ranges::all_of(node.inputs.begin() + 1, node.inputs.end(), [&](ValueId statistic) {
          return m_engine.constant(statistic) != nullptr;
        });
    return optionalIsConstant(*traits.biasSlot) && complete;
  }

  // A linear layer as exporters write it: MatMul with constant weights, then Add of a vector.
  bool isBiasOfMatMul(const Node& node, ValueId product, NodeId lead) const {
    const Tensor* weight = m_engine.constant(m_graph[lead].inputs.at(1));
    const ValueId other = node.inputs.at(0) == product ? node.inputs.at(1) : node.inputs.at(0);
    const Tensor* bias = m_engine.constant(other);
    return weight != nullptr && bias != nullptr && bias->shape().rank() == 1 &&
           weight->shape().rank() == 2 && bias->shape().back() == weight->shape().back();
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const Backend& m_backend;
  const ResolvedConfig& m_config;
  std::vector<bool> m_taken;
  const std::vector<bool>& m_floats;
  std::vector<bool> m_isOutput;
  std::vector<FusedLayer> m_layers;
};

}  // namespace

std::vector<bool> findFloatNodes(const Graph& graph, const std::vector<FloatRegion>& regions,
                                 const ResolvedConfig& config) {
  std::vector<bool> floats(graph.nodes().size(), false);
  for (const FloatRegion& region : regions) {
    if (std::ranges::any_of(region.nodes, [&](NodeId id) { return config.names(id); })) continue;
    for (const NodeId id : region.nodes) floats[id.at()] = true;
  }
  return floats;
}

std::vector<FusedLayer> findFusedLayers(const Engine& engine, const Backend& backend,
                                        const ResolvedConfig& config) {
  const std::vector<FloatRegion> regions = findFloatRegions(engine.graph(), backend.floatRegions);
  return findFusedLayers(engine, backend, config, findFloatNodes(engine.graph(), regions, config));
}

std::vector<FusedLayer> findFusedLayers(const Engine& engine, const Backend& backend,
                                        const ResolvedConfig& config,
                                        const std::vector<bool>& floats) {
  return PatternFinder(engine, backend, config, floats).find();
}

}  // namespace quantscope
