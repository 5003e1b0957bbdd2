#include "export/qdq/needed_nodes.h"

#include <algorithm>

namespace quantscope {
namespace {

class NeedFinder {
 public:
  NeedFinder(const Engine& engine, const AppliedQuantization& applied)
      : m_engine(engine),
        m_graph(engine.graph()),
        m_applied(applied),
        m_needed(m_graph.nodes().size(), false) {}

  std::vector<bool> find() {
    for (std::size_t i = 0; i < m_needed.size(); ++i) {
      if (!makesConstants(NodeId(i))) need(NodeId(i));
    }
    for (const Block& block : m_graph.blocks()) {
      for (const ValueId output : block.outputs) needValue(output);
    }
    return std::move(m_needed);
  }

 private:
  bool makesConstants(NodeId id) const {
    return std::ranges::all_of(m_graph[id].outputs, [&](ValueId output) {
      return !output.valid() || m_engine.constant(output) != nullptr;
    });
  }

  void needValue(ValueId value) {
    if (value.valid() && m_graph[value].producer.valid()) need(m_graph[value].producer);
  }

  // Uses a list of open nodes instead of recursion: chains of constants may be long.
  void need(NodeId first) {
    std::vector<NodeId> waiting{first};
    while (!waiting.empty()) {
      const NodeId id = waiting.back();
      waiting.pop_back();
      if (m_needed[id.at()]) continue;
      m_needed[id.at()] = true;
      const auto wait = [&](ValueId value) {
        if (value.valid() && m_graph[value].producer.valid()) {
          waiting.push_back(m_graph[value].producer);
        }
      };
      const NodeQuantization& applied = m_applied[id];
      const std::vector<ValueId>& inputs = m_graph[id].inputs;
      const std::size_t read = applied.bypassed ? 1 : inputs.size();
      for (std::size_t i = 0; i < read; ++i) {
        if (placedConstant(applied, i) == nullptr) wait(inputs[i]);
      }
    }
  }

  const Engine& m_engine;
  const Graph& m_graph;
  const AppliedQuantization& m_applied;
  std::vector<bool> m_needed;
};

}  // namespace

std::vector<bool> findNeededNodes(const Engine& engine, const AppliedQuantization& applied) {
  return NeedFinder(engine, applied).find();
}

const Tensor* placedConstant(const NodeQuantization& applied, std::size_t input) {
  const auto found =
      std::ranges::find(applied.constants, input, &std::pair<std::size_t, Tensor>::first);
  return found == applied.constants.end() ? nullptr : &found->second;
}

}  // namespace quantscope
