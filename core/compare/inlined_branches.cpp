#include "compare/inlined_branches.h"

#include <algorithm>

#include "onnx/names.h"
#include "onnx/operator_versions.h"

namespace quantscope {
namespace {

int opsetOf(const Graph& graph) {
  const auto own =
      std::ranges::find(graph.opsets, std::string(), &std::pair<std::string, int>::first);
  return own == graph.opsets.end() ? 1 : own->second;
}

class BranchInliner {
 public:
  BranchInliner(const Graph& source, const TakenBranches& taken)
      : m_source(source), m_taken(taken) {
    m_graph.name = source.name;
    m_graph.producerName = source.producerName;
    m_graph.irVersion = source.irVersion;
    m_graph.opsets = source.opsets;
    for (const Node& node : source.nodes()) m_names.take(node.name);
  }

  Graph inlined() {
    // Those of branches that are left out have no producer and no reader.
    for (const Value& value : m_source.values()) {
      Value copy = value;
      copy.producer = {};
      copy.block = Graph::mainBlock();
      m_graph.addValue(std::move(copy));
    }
    const Block& main = m_source.main();
    m_graph.mutableBlock(Graph::mainBlock()).inputs = main.inputs;
    m_graph.mutableBlock(Graph::mainBlock()).outputs = main.outputs;
    copyNodes(Graph::mainBlock(), Graph::mainBlock());
    m_graph.finish();
    return std::move(m_graph);
  }

 private:
  void copyNodes(BlockId from, BlockId to) {
    for (const NodeId id : m_source[from].nodes) {
      const auto branch = m_taken.find(id);
      if (branch != m_taken.end() && to == Graph::mainBlock()) {
        inlineBranch(m_source[id], m_source[id].body(branch->second));
      } else {
        copyNode(m_source[id], to);
      }
    }
  }

  void inlineBranch(const Node& node, BlockId body) {
    copyNodes(body, Graph::mainBlock());
    const std::vector<ValueId>& made = m_source[body].outputs;
    for (std::size_t i = 0; i < node.outputs.size() && i < made.size(); ++i) {
      if (!node.outputs[i].valid()) continue;
      Node pass;
      pass.name = i == 0 ? node.name : m_names.takeLike(node.name);
      pass.op = "Identity";
      pass.version = operatorVersion({}, pass.op, opsetOf(m_source));
      pass.inputs = {made[i]};
      pass.outputs = {node.outputs[i]};
      pass.block = Graph::mainBlock();
      m_graph.addNode(std::move(pass));
    }
  }

  void copyNode(const Node& node, BlockId to) {
    Node copy = node;
    copy.block = to;
    copy.bodies.clear();
    const NodeId added = m_graph.addNode(std::move(copy));
    for (const ValueId output : node.outputs) place(output, to);
    for (const auto& [name, body] : node.bodies) {
      const BlockId block = m_graph.addBlock(added);
      m_graph.mutableNode(added).bodies.emplace_back(name, block);
      m_graph.mutableBlock(block).inputs = m_source[body].inputs;
      m_graph.mutableBlock(block).outputs = m_source[body].outputs;
      for (const ValueId input : m_source[body].inputs) place(input, block);
      copyNodes(body, block);
    }
  }

  void place(ValueId value, BlockId block) {
    if (value.valid()) m_graph.mutableValue(value).block = block;
  }

  const Graph& m_source;
  const TakenBranches& m_taken;
  Graph m_graph;
  UniqueNames m_names;
};

}  // namespace

Graph inlineBranches(const Graph& graph, const TakenBranches& taken) {
  return BranchInliner(graph, taken).inlined();
}

}  // namespace quantscope
