#include "export/foreign/settled_grids.h"

#include <algorithm>

#include "graph/operator_traits.h"
#include "precision/layers/configured_layers.h"
#include "precision/layers/node_tensors.h"

namespace quantscope {
namespace {

using Chain = std::vector<ForeignGrid>;

bool movesData(const Engine& engine, const Node& node) {
  return isDataMover(engine.graph(), node) && !isEmbedding(engine, node);
}

/// By node: true if the generic backend can quantize it, whatever it would fuse.
std::vector<bool> findAbleNodes(const Engine& engine) {
  PrecisionConfig all;
  all.backend = "generic";
  // An entry of its own keeps a node out of patterns and float regions.
  for (const Node& node : engine.graph().nodes()) {
    all.nodes.emplace_back(node.name, defaultPrecision());
  }
  const auto backend = findBackend(all.backend);
  const ResolvedConfig resolved(engine.graph(), all);
  return ConfiguredLayers(engine, *backend, resolved).quantized;
}

class GridSettler {
 public:
  GridSettler(const Engine& engine, const PlacedGrids& placed)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_placed(placed),
        m_edges(placed.edges),
        m_outputs(placed.outputs) {}

  SettledGrids settle() {
    m_result.able = findAbleNodes(m_engine);
    for (const Block& block : m_graph.blocks()) {
      std::ranges::for_each(block.inputs, [&](ValueId value) { settleValue(value); });
      for (const NodeId node : block.nodes) {
        std::ranges::for_each(m_graph[node].outputs, [&](ValueId value) { settleValue(value); });
      }
    }
    keepEdges();
    for (const auto& [value, chain] : m_outputs) {
      if (!chain.empty()) m_lost.push_back(m_graph[value].name);
    }
    if (!m_lost.empty()) {
      m_result.notices.push_back("no node can round what the file rounds at " +
                                 quotedNames(m_lost));
    }
    return std::move(m_result);
  }

 private:
  void settleValue(ValueId value) {
    if (!value.valid()) return;
    const std::vector<Chain*> chains = chainsOf(value);
    if (chains.empty()) return;
    const bool shared = std::ranges::all_of(chains, [&](const Chain* chain) {
      return !chain->empty() && isSameGrid(chain->front(), chains.front()->front());
    });
    if (shared && !chains.front()->empty() && canRound(value)) {
      m_result.outputs.emplace(value, chains.front()->front());
      for (Chain* chain : chains) chain->erase(chain->begin());
    }
    dropRepeated(value, chains);
    passOn(value);
  }

  std::vector<Chain*> chainsOf(ValueId value) {
    std::vector<Chain*> chains;
    for (const NodeId reader : m_graph[value].consumers) {
      const std::vector<ValueId>& inputs = m_graph[reader].inputs;
      for (std::size_t input = 0; input < inputs.size(); ++input) {
        const auto edge = m_edges.find({reader, input});
        if (inputs[input] == value && edge != m_edges.end()) chains.push_back(&edge->second);
      }
    }
    const auto output = m_outputs.find(value);
    if (output != m_outputs.end()) chains.push_back(&output->second);
    return chains;
  }

  bool canRound(ValueId value) const {
    const NodeId maker = m_graph[value].producer;
    return maker.valid() && m_result.able[maker.at()] && m_graph[maker].outputs[0] == value &&
           !movesData(m_engine, m_graph[maker]);
  }

  void dropRepeated(ValueId value, const std::vector<Chain*>& chains) const {
    const ForeignGrid* grid = m_result.gridOf(m_engine, value);
    if (grid == nullptr || grid->dynamic) return;
    for (Chain* chain : chains) {
      while (!chain->empty() && isSameGrid(chain->front(), *grid)) chain->erase(chain->begin());
    }
  }

  // A data mover's roundings happen behind it as well as before it.
  void passOn(ValueId value) {
    for (const NodeId reader : m_graph[value].consumers) {
      const Node& node = m_graph[reader];
      const auto edge = m_edges.find({reader, 0});
      if (edge == m_edges.end() || edge->second.empty() || node.inputs[0] != value) continue;
      if (!movesData(m_engine, node)) continue;
      for (const ValueId output : node.outputs) {
        if (!output.valid()) continue;
        for (Chain* chain : chainsOf(output)) {
          chain->insert(chain->begin(), edge->second.begin(), edge->second.end());
        }
      }
      edge->second.clear();
    }
  }

  void keepEdges() {
    for (auto& [edge, chain] : m_edges) {
      if (chain.empty()) continue;
      const auto& [node, input] = edge;
      const std::vector<std::size_t> inputs = activationInputs(m_engine, m_graph[node]);
      if (!m_result.able[node.at()] || std::ranges::find(inputs, input) == inputs.end()) {
        m_lost.push_back(m_graph[node].name);
        continue;
      }
      if (chain.size() > 1) {
        m_result.notices.push_back("'" + m_graph[node].name +
                                   "' reads a value that is rounded twice on its way: the last "
                                   "grid counts");
      }
      m_result.edges.emplace(edge, chain.back());
    }
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const PlacedGrids& m_placed;
  std::map<EdgeId, Chain> m_edges;
  std::map<ValueId, Chain> m_outputs;
  std::vector<std::string> m_lost;
  SettledGrids m_result;
};

}  // namespace

bool isSameGrid(const ForeignGrid& a, const ForeignGrid& b) {
  return a.encoding == b.encoding && a.symmetric == b.symmetric && a.lowest == b.lowest &&
         a.highest == b.highest && a.dynamic == b.dynamic;
}

const ForeignGrid* SettledGrids::gridOf(const Engine& engine, ValueId value) const {
  const Graph& graph = engine.graph();
  while (value.valid()) {
    const auto found = outputs.find(value);
    if (found != outputs.end()) return &found->second;
    const NodeId maker = graph[value].producer;
    if (!maker.valid() || !movesData(engine, graph[maker]) || graph[maker].inputs.empty()) break;
    value = graph[maker].inputs[0];
  }
  return nullptr;
}

SettledGrids settleGrids(const Engine& engine, const PlacedGrids& placed) {
  return GridSettler(engine, placed).settle();
}

}  // namespace quantscope
