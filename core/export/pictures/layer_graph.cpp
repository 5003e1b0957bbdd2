#include "export/pictures/layer_graph.h"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

namespace quantscope {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

class EdgeFinder {
 public:
  EdgeFinder(const AnalysisResult& result, const Graph& graph)
      : m_graph(graph),
        m_boxOfNode(graph.nodes().size(), kNone),
        m_boxOfInput(graph.values().size(), kNone) {
    m_drawing.layers = result.layers.size();
    for (std::size_t layer = 0; layer < result.layers.size(); ++layer) {
      for (const NodeId member : result.layers[layer].members) m_boxOfNode[member.at()] = layer;
    }
    for (const ValueId input : graph.inputs()) {
      m_boxOfInput[input.at()] = m_drawing.layers + m_drawing.inputs.size();
      m_drawing.inputs.push_back(input);
    }
    m_drawing.outputs.assign(graph.outputs().begin(), graph.outputs().end());
  }

  LayerGraph find(const AnalysisResult& result) {
    for (std::size_t layer = 0; layer < result.layers.size(); ++layer) {
      std::vector<ValueId> read;
      for (const NodeId member : result.layers[layer].members) appendRead(member, read);
      connect(read, layer);
    }
    const std::size_t firstOutput = m_drawing.layers + m_drawing.inputs.size();
    for (std::size_t i = 0; i < m_drawing.outputs.size(); ++i) {
      connect({m_drawing.outputs[i]}, firstOutput + i);
    }
    return std::move(m_drawing);
  }

 private:
  // The values that a node reads in its own block, and the results of its bodies.
  void appendRead(NodeId id, std::vector<ValueId>& read) const {
    const Node& node = m_graph[id];
    read.insert(read.end(), node.inputs.begin(), node.inputs.end());
    for (const auto& [name, body] : node.bodies) {
      const std::vector<ValueId>& results = m_graph[body].outputs;
      read.insert(read.end(), results.begin(), results.end());
    }
  }

  void connect(std::vector<ValueId> pending, std::size_t box) {
    std::vector<std::pair<std::size_t, ValueId>> sources;
    std::unordered_set<ValueId> seen;
    while (!pending.empty()) {
      const ValueId value = pending.back();
      pending.pop_back();
      if (!value.valid() || !seen.insert(value).second) continue;
      const std::size_t source = follow(value, pending);
      if (source != kNone && source != box) sources.emplace_back(source, value);
    }
    std::ranges::sort(sources);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto [source, value] = sources[i];
      if (i == 0 || source != sources[i - 1].first) {
        m_drawing.edges.push_back({source, box});
        m_drawing.values.emplace_back();
      }
      m_drawing.values.back().push_back(value);
    }
  }

  // The box that a value comes from; none where it is a constant or comes from the values that
  // are added to `pending`.
  std::size_t follow(ValueId id, std::vector<ValueId>& pending) const {
    const Value& value = m_graph[id];
    if (value.constant.defined()) return kNone;
    if (!value.producer.valid()) {
      if (m_boxOfInput[id.at()] == kNone) appendOuterValue(id, pending);
      return m_boxOfInput[id.at()];
    }
    const std::size_t box = m_boxOfNode[value.producer.at()];
    if (box == kNone) appendRead(value.producer, pending);
    return box;
  }

  // Input i of a body is input i of its owner (Loop, Scan).
  void appendOuterValue(ValueId id, std::vector<ValueId>& pending) const {
    const Value& value = m_graph[id];
    if (!value.block.valid()) return;
    const Block& block = m_graph[value.block];
    if (!block.owner.valid()) return;
    const std::vector<ValueId>& outer = m_graph[block.owner].inputs;
    const auto place =
        static_cast<std::size_t>(std::ranges::find(block.inputs, id) - block.inputs.begin());
    if (place < block.inputs.size() && place < outer.size()) pending.push_back(outer[place]);
  }

  const Graph& m_graph;
  std::vector<std::size_t> m_boxOfNode;
  std::vector<std::size_t> m_boxOfInput;
  LayerGraph m_drawing;
};

}  // namespace

LayerGraph layerGraph(const AnalysisResult& result, const Graph& graph) {
  return EdgeFinder(result, graph).find(result);
}

}  // namespace quantscope
