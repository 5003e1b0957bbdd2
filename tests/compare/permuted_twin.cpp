#include "compare/permuted_twin.h"

#include <algorithm>
#include <map>
#include <set>

#include "graph/data_dependence.h"
#include "graph/operator_traits.h"

namespace quantscope::test {
namespace {

class ChannelsLastLayout {
 public:
  explicit ChannelsLastLayout(Graph& graph) : m_graph(graph), m_depends(dependsOnData(graph)) {}

  std::size_t layOut() {
    const std::vector<NodeId> nodes = m_graph.main().nodes;
    for (const NodeId id : nodes) {
      worksOnElements(id) ? takeAsTheyLie(id) : surround(id);
    }
    m_graph.finish();
    return m_channelsLast.size();
  }

 private:
  bool isImage(ValueId value) const {
    const auto& shape = m_graph[value].type.shape;
    return value.valid() && m_depends[value.at()] && shape && shape->size() == 4;
  }

  // All that it reads lies channels-last, but numbers. What names an axis, as Concat does, would
  // work along another one then.
  bool worksOnElements(NodeId id) const {
    const Node& node = m_graph[id];
    const OperatorTraits& traits = operatorTraits(node);
    const bool codes =
        traits.codes.use == CodeUse::Quantizes || traits.codes.use == CodeUse::Dequantizes;
    const bool namesAxes = node.has("axis") || traits.movesData != nullptr;
    if (!codes && (traits.channels != ChannelFlow::Carried || namesAxes)) return false;
    if (!m_channelsLast.contains(node.inputs[0])) return false;
    return std::ranges::all_of(node.inputs, [&](ValueId input) {
      if (!input.valid() || m_channelsLast.contains(input)) return true;
      const Tensor* const constant = m_graph.constant(input);
      return constant != nullptr && constant->elementCount() == 1;
    });
  }

  void takeAsTheyLie(NodeId id) {
    for (const ValueId output : std::vector<ValueId>(m_graph[id].outputs)) {
      if (output.valid()) markChannelsLast(output);
    }
  }

  void markChannelsLast(ValueId value) {
    m_channelsLast.insert(value);
    auto& shape = m_graph.mutableValue(value).type.shape;
    if (shape) std::rotate(shape->begin() + 1, shape->begin() + 2, shape->end());
  }

  void surround(NodeId id) {
    for (std::size_t i = 0; i < m_graph[id].inputs.size(); ++i) {
      const ValueId input = m_graph[id].inputs[i];
      if (m_channelsLast.contains(input)) m_graph.mutableNode(id).inputs[i] = broughtBack(input);
    }
    const ValueId output = m_graph[id].outputs[0];
    const auto outputs = m_graph.outputs();
    if (!isImage(output) || std::ranges::find(outputs, output) != outputs.end()) return;
    Value made;
    made.name = m_graph[output].name + "_nchw";
    made.type = m_graph[output].type;
    made.block = Graph::mainBlock();
    const ValueId value = m_graph.addValue(std::move(made));
    m_graph.mutableNode(id).outputs[0] = value;
    m_graph.mutableValue(value).producer = id;
    markChannelsLast(output);
    addTranspose(value, output, {0, 2, 3, 1});
  }

  ValueId broughtBack(ValueId value) {
    const auto known = m_back.find(value);
    if (known != m_back.end()) return known->second;
    Value back;
    back.name = m_graph[value].name + "_back";
    back.type.element = m_graph[value].type.element;
    back.block = Graph::mainBlock();
    const ValueId result = m_graph.addValue(std::move(back));
    addTranspose(value, result, {0, 3, 1, 2});
    m_back[value] = result;
    return result;
  }

  void addTranspose(ValueId from, ValueId to, std::vector<std::int64_t> permutation) {
    Node node;
    node.name = m_graph[to].name + "/Transpose";
    node.op = "Transpose";
    node.version = 13;
    node.inputs = {from};
    node.outputs = {to};
    node.attributes = {{"perm", std::move(permutation)}};
    node.block = Graph::mainBlock();
    m_graph.addNode(std::move(node));
  }

  Graph& m_graph;
  std::vector<bool> m_depends;  // by value of the graph as it was
  std::set<ValueId> m_channelsLast;
  std::map<ValueId, ValueId> m_back;
};

}  // namespace

std::size_t layOutChannelsLast(Graph& graph) {
  return ChannelsLastLayout(graph).layOut();
}

}  // namespace quantscope::test
