#include "training/network_blocks.h"

#include <algorithm>

namespace quantscope {
namespace {

constexpr std::size_t kLeastLayers = 2;

class Cutter {
 public:
  Cutter(const Engine& engine, const QuantizedModel& model)
      : m_engine(engine), m_graph(engine.graph()), m_ends(m_graph.nodes().size()) {
    for (const LayerQuantization& layer : model.layers) m_ends[layer.layer.last().at()] = 1;
    findLastReads();
  }

  // Values that are the only one alive once their node has run, by position in the main block; none
  // elsewhere.
  std::vector<ValueId> cuts() const {
    const std::vector<NodeId>& nodes = m_graph.main().nodes;
    std::vector<ValueId> cuts(nodes.size());
    std::vector<ValueId> alive(m_graph.inputs().begin(), m_graph.inputs().end());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const ValueId output : m_graph[nodes[i]].outputs) {
        if (output.valid() && m_engine.constant(output) == nullptr) alive.push_back(output);
      }
      std::erase_if(alive, [&](ValueId value) { return m_lastRead[value.at()] <= i; });
      if (alive.size() == 1 && endsLayer(nodes[i], alive.front())) cuts[i] = alive.front();
    }
    return cuts;
  }

 private:
  void findLastReads() {
    const std::vector<NodeId>& nodes = m_graph.main().nodes;
    m_lastRead.assign(m_graph.values().size(), 0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const ValueId value : readValues(m_graph, nodes[i])) m_lastRead[value.at()] = i;
    }
    for (const ValueId output : m_graph.outputs()) m_lastRead[output.at()] = nodes.size();
  }

  bool endsLayer(NodeId node, ValueId value) const {
    const std::optional<ElementType>& type = m_graph[value].type.element;
    return m_graph[value].producer == node && m_ends[node.at()] != 0 && (!type || isFloat(*type));
  }

  const Engine& m_engine;
  const Graph& m_graph;
  std::vector<char> m_ends;  // by node: the last one of a layer
  std::vector<std::size_t> m_lastRead;
};

bool isLead(const LinearLayers& layers, NodeId node) {
  return std::ranges::find(layers.layers, node, &LinearLayer::lead) != layers.layers.end();
}

}  // namespace

std::vector<NetworkBlock> findBlocks(const Engine& engine, const QuantizedModel& model,
                                     const LinearLayers& layers) {
  const Graph& graph = engine.graph();
  const std::vector<NodeId>& nodes = graph.main().nodes;
  const std::vector<ValueId> cuts = Cutter(engine, model).cuts();
  std::vector<NetworkBlock> blocks(1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (isLead(layers, nodes[i])) blocks.back().layers.push_back(nodes[i]);
    if (!cuts[i].valid() || blocks.back().layers.size() < kLeastLayers) continue;
    if (std::ranges::find(graph.outputs(), cuts[i]) != graph.outputs().end()) continue;
    blocks.back().outputs = {cuts[i]};
    blocks.push_back({cuts[i], {}, {}});
  }
  blocks.back().outputs.assign(graph.outputs().begin(), graph.outputs().end());
  // Nodes behind the last cut without a layer of their own belong to the block before.
  if (blocks.size() > 1 && blocks.back().layers.empty()) {
    blocks[blocks.size() - 2].outputs = blocks.back().outputs;
    blocks.pop_back();
  }
  return blocks;
}

}  // namespace quantscope
