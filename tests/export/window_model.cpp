#include "export/window_model.h"

#include <map>
#include <stdexcept>

namespace quantscope::test {
namespace {

class WindowCopier {
 public:
  WindowCopier(const QdqModel& model, const Graph& original)
      : m_model(model), m_source(model.draft.graph), m_original(original) {
    m_result.draft.graph.opsets = m_source.opsets;
  }

  WindowModel copy(const std::vector<ExportWindow>& windows) {
    for (std::size_t i = 0; i < windows.size(); ++i) copyWindow(i, windows[i]);
    m_result.draft.graph.finish();
    return std::move(m_result);
  }

 private:
  Graph& graph() { return m_result.draft.graph; }

  void copyWindow(std::size_t index, const ExportWindow& window) {
    m_prefix = "w" + std::to_string(index) + "/";
    m_copies.clear();
    for (const ValueId input : window.inputs) m_copies[readAs(input)] = inputOf(input);
    for (const ValueId output : window.outputs) {
      // What is fed cannot be an output as well.
      const ValueId copied = copyValue(readAs(output));
      graph().mutableBlock(Graph::mainBlock()).outputs.push_back(copied);
      m_result.outputs.emplace_back(index, output);
    }
  }

  ValueId readAs(ValueId original) const { return m_model.readAs[original.at()]; }

  ValueId inputOf(ValueId original) {
    const auto known = m_inputs.find(original);
    if (known != m_inputs.end()) return known->second;
    Value value;
    value.name = "in/" + m_original[original].name;
    value.type.element = m_original[original].type.element;
    value.block = Graph::mainBlock();
    const ValueId id = graph().addValue(std::move(value));
    graph().mutableBlock(Graph::mainBlock()).inputs.push_back(id);
    m_result.inputs.push_back(original);
    m_inputs.emplace(original, id);
    return id;
  }

  ValueId copyValue(ValueId id) {
    if (!id.valid()) return {};
    if (const auto known = m_copies.find(id); known != m_copies.end()) return known->second;
    const Value& value = m_source[id];
    if (value.producer.valid()) {
      copyNode(value.producer);
      return m_copies.at(id);
    }
    const auto constant = m_constants.find(id);
    if (constant != m_constants.end()) return constant->second;
    if (!value.constant.defined()) throw std::runtime_error("not in the window: " + value.name);
    Value copied = value;
    copied.consumers.clear();
    const ValueId made = graph().addValue(std::move(copied));
    const auto stored = m_model.draft.storedTypes.find(id);
    if (stored != m_model.draft.storedTypes.end()) {
      m_result.draft.storedTypes.emplace(made, stored->second);
    }
    m_constants.emplace(id, made);
    return made;
  }

  void copyNode(NodeId id) {
    Node node = m_source[id];
    if (!node.bodies.empty()) throw std::runtime_error("has a sub-graph: " + node.name);
    node.name = m_prefix + node.name;
    for (ValueId& input : node.inputs) input = copyValue(input);
    for (ValueId& output : node.outputs) {
      if (!output.valid()) continue;
      const ValueId from = output;
      Value value;
      value.name = m_prefix + m_source[from].name;
      value.type.element = m_source[from].type.element;
      value.block = Graph::mainBlock();
      output = graph().addValue(std::move(value));
      m_copies.emplace(from, output);
    }
    graph().addNode(std::move(node));
  }

  const QdqModel& m_model;
  const Graph& m_source;
  const Graph& m_original;
  WindowModel m_result;
  std::string m_prefix;
  std::map<ValueId, ValueId> m_inputs;     // by original value
  std::map<ValueId, ValueId> m_constants;  // by value of the written model
  std::map<ValueId, ValueId> m_copies;     // likewise, of the window at hand
};

}  // namespace

WindowModel windowModel(const QdqModel& model, const Graph& original,
                        const std::vector<ExportWindow>& windows) {
  return WindowCopier(model, original).copy(windows);
}

}  // namespace quantscope::test
