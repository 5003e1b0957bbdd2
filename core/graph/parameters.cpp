#include "graph/parameters.h"

#include <algorithm>

#include "graph/data_dependence.h"
#include "graph/operator_traits.h"

namespace quantscope {
namespace {

// Operands of an operator on codes that has no weight: each with its scale and zero point behind
// it.
constexpr std::size_t kInputsOfOperand = 3;

bool isSettingOfCodes(const CodeTraits& codes, std::size_t slot) {
  if (codes.use != CodeUse::Computes) return slot > 0;
  const std::size_t outputScale = codes.outputScale.value_or(OperatorTraits::kAllInputs);
  if (!codes.weightSlot) return slot % kInputsOfOperand != 0 || slot >= outputScale;
  if (slot == 0 || slot == *codes.weightSlot) return false;
  // A bias is behind the weight's grid or, where the output's grid comes first, behind that.
  const bool afterOutput = codes.outputScale == *codes.weightZeroPoint + 1;
  return slot != (afterOutput ? outputScale + 2 : *codes.weightZeroPoint + 1);
}

class ParameterSearch {
 public:
  explicit ParameterSearch(const Graph& graph)
      : m_graph(graph), m_depends(dependsOnData(graph)), m_found(graph.values().size(), false) {}

  std::vector<bool> run() {
    for (const Block& block : m_graph.blocks()) {
      for (const ValueId output : block.outputs) mark(output);
    }
    for (const Node& node : m_graph.nodes()) {
      if (!computesConstant(node)) markInputs(node);
    }
    while (!m_open.empty()) {
      const Value& value = m_graph[m_open.back()];
      m_open.pop_back();
      if (value.producer.valid()) markInputs(m_graph[value.producer]);
    }
    for (std::size_t i = 0; i < m_found.size(); ++i) {
      const Value& value = m_graph.values()[i];
      if (value.constant.defined() && !isParameterType(value.constant.type())) m_found[i] = false;
    }
    return std::move(m_found);
  }

 private:
  bool computesConstant(const Node& node) const {
    return std::ranges::none_of(
        node.outputs, [&](ValueId output) { return output.valid() && m_depends[output.at()]; });
  }

  void mark(ValueId value) {
    if (!value.valid() || m_depends[value.at()] || m_found[value.at()]) return;
    m_found[value.at()] = true;
    m_open.push_back(value);
  }

  void markInputs(const Node& node) {
    for (std::size_t slot = 0; slot < node.inputs.size(); ++slot) {
      if (!isSetting(node, slot)) mark(node.inputs[slot]);
    }
  }

  const Graph& m_graph;
  std::vector<bool> m_depends;
  std::vector<bool> m_found;
  std::vector<ValueId> m_open;
};

}  // namespace

bool isSetting(const Node& node, std::size_t slot) {
  const OperatorTraits& traits = operatorTraits(node);
  if (traits.readsShapeOnly) return true;
  if (traits.codes.use != CodeUse::None) return isSettingOfCodes(traits.codes, slot);
  // Behind the bias of a recurrence come the lengths of its sequences.
  if (traits.weightUse == WeightUse::Gates) return slot == *traits.biasSlot + 1;
  const bool takesSettings = traits.movesData != nullptr || traits.clips || traits.reduces;
  return takesSettings && slot >= traits.dataInputs;
}

bool isParameterType(ElementType type) {
  return type != ElementType::Int64 && type != ElementType::Bool;
}

std::vector<bool> findParameters(const Graph& graph) {
  return ParameterSearch(graph).run();
}

}  // namespace quantscope
