#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "graph/graph.h"
#include "onnx/names.h"

namespace quantscope {

/// One node on its way to a newer version, and what may be done to it.
class NodeUpgrade {
 public:
  /// `names`: of the graph's values and nodes.
  NodeUpgrade(Graph& graph, NodeId id, UniqueNames& valueNames, UniqueNames& nodeNames)
      : m_graph(graph), m_id(id), m_valueNames(valueNames), m_nodeNames(nodeNames) {}

  const Node& node() const { return m_graph[m_id]; }
  void setOperator(std::string_view op) { m_graph.mutableNode(m_id).op = op; }

  void setVersion(int version) { m_graph.mutableNode(m_id).version = version; }

  /// Removes an attribute and returns it; none where it is absent.
  std::optional<Attribute::Data> take(std::string_view attribute);
  /// The same of one type. Throws InvalidModel where it holds something else.
  template <class Data>
  std::optional<Data> takeAs(std::string_view attribute) {
    std::optional<Attribute::Data> data = take(attribute);
    if (!data) return std::nullopt;
    if (Data* const held = std::get_if<Data>(&*data)) return std::move(*held);
    throwWrongType(attribute);
  }
  void drop(std::string_view attribute) { take(attribute); }
  void set(std::string_view attribute, Attribute::Data data);

  /// Puts a constant in as input number `index`; inputs between are left out.
  void setInput(std::size_t index, Tensor constant, std::string_view suffix);
  /// Throws InvalidModel where there is no input `from`.
  void moveInput(std::size_t from, std::size_t to);
  /// An attribute with integers that has become an input of int64; nothing where it is absent.
  void integersToInput(std::string_view attribute, std::size_t index);

  /// The number of axes of an input; none where it is not known.
  std::optional<std::size_t> rank(std::size_t input) const;
  /// The element type of an input, float32 where it is not known.
  ElementType element(std::size_t input) const;
  const Tensor* constant(std::size_t input) const { return m_graph.constant(node().inputs[input]); }

  /// Puts a node in front of input 0, or one behind output 0 that takes over its name. `version`
  /// of its operator.
  void insertBefore(std::string_view op, int version, std::vector<Attribute> attributes,
                    std::string_view suffix);
  void appendBehind(std::string_view op, int version, ValueId second);
  /// Puts a node behind output 0 that takes over its name and reads a constant as well.
  void splitOff(std::string_view op, int version, Tensor second, std::string_view suffix);
  /// A new node that reads `input`, and its output.
  ValueId addNode(std::string_view op, int version, ValueId input, std::string_view suffix,
                  const ValueType& type, std::vector<Attribute> attributes = {});

  [[noreturn]] void refuse(int version, const std::string& why = {}) const;

 private:
  [[noreturn]] void throwWrongType(std::string_view attribute) const;
  ValueId newConstant(Tensor constant, std::string_view suffix);
  ValueId newValue(std::string_view suffix, const ValueType& type);

  Graph& m_graph;
  NodeId m_id;
  UniqueNames& m_valueNames;
  UniqueNames& m_nodeNames;
};

/// Takes a node to the next version of its operator. False where that step is not known.
bool upgradeStep(NodeUpgrade& upgrade, int version);

}  // namespace quantscope
