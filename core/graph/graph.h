#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "graph/attribute.h"
#include "tensor/tensor.h"

namespace quantscope {

/// One extent of a value whose shape is only partly known: a number, a named symbol ("batch"),
/// or nothing at all.
struct Dimension {
  std::int64_t extent = -1;  ///< −1 = not a known number
  std::string symbol;        ///< empty = no name
  bool known() const { return extent >= 0; }
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// The type and shape of a value that are known before any run.
struct ValueType {
  std::optional<ElementType> element;
  std::optional<std::vector<Dimension>> shape;
};

/// "[batch, 3, 224, 224]", "?" where unknown.
std::string toString(const std::optional<std::vector<Dimension>>& shape);

/// A tensor that flows through the graph: made by one node, a graph input, or a constant.
struct Value {
  std::string name;
  ValueType type;
  NodeId producer;  ///< none for graph inputs, block inputs and initializers
  BlockId block;    ///< the block that defines it
  /// Initializers and the outputs of Constant nodes; undefined for everything computed.
  Tensor constant;
  /// Nodes of any block that read it, each once, in node order. Filled in by Graph::finish().
  std::vector<NodeId> consumers;
};

/// One application of an operator.
struct Node {
  std::string name;  ///< unique; made up in a stable way where the file gives none
  /// The file's bytes of the name, where they are others; empty where it gives none.
  std::optional<std::string> fileName = {};
  std::string op;      ///< "Conv"
  std::string domain;  ///< "" = ai.onnx
  /// The version of the operator that is in force: the highest one not above the opset that the
  /// file imports. 0 for operators that the tables do not know.
  int version = 0;
  std::vector<ValueId> inputs;  ///< an invalid id = an omitted input
  std::vector<ValueId> outputs;
  std::vector<Attribute> attributes;
  /// Sub-graphs of If (then, else), Loop and Scan (body), by attribute name.
  std::vector<std::pair<std::string, BlockId>> bodies;
  BlockId block;  ///< the block that it belongs to

  const Attribute* find(std::string_view attribute) const;
  bool has(std::string_view attribute) const { return find(attribute) != nullptr; }
  /// The attribute's value, or the fallback where it is absent. Throws InvalidModel where it has
  /// another type.
  std::int64_t integer(std::string_view attribute, std::int64_t fallback) const;
  float real(std::string_view attribute, float fallback) const;
  std::string text(std::string_view attribute, std::string_view fallback) const;
  std::vector<std::int64_t> integers(std::string_view attribute,
                                     std::vector<std::int64_t> fallback = {}) const;
  std::vector<float> reals(std::string_view attribute, std::vector<float> fallback = {}) const;
  /// The body of that name. Throws InvalidModel where there is none.
  BlockId body(std::string_view name) const;
};

/// A list of nodes that runs as a whole: the model's main graph or a sub-graph of a control-flow
/// node. Values of enclosing blocks are visible inside by their ids.
struct Block {
  NodeId owner;               ///< none for the main block
  std::vector<NodeId> nodes;  ///< in topological order after Graph::finish()
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
};

/// A model as data. Nodes, values and blocks of all nesting levels share one numbering each.
/// Built once, finished, then frozen and shared.
class Graph {
 public:
  std::string name;
  std::string producerName;
  int irVersion = 0;
  std::vector<std::pair<std::string, int>> opsets;  ///< domain ("" = ai.onnx), version

  Graph();

  static constexpr BlockId mainBlock() { return BlockId(0); }
  const Block& main() const { return m_blocks[0]; }

  std::span<const Node> nodes() const { return m_nodes; }
  std::span<const Value> values() const { return m_values; }
  std::span<const Block> blocks() const { return m_blocks; }
  const Node& operator[](NodeId id) const { return m_nodes[id.at()]; }
  const Value& operator[](ValueId id) const { return m_values[id.at()]; }
  const Block& operator[](BlockId id) const { return m_blocks[id.at()]; }

  /// Graph inputs that a run must be given: those without a default.
  std::span<const ValueId> inputs() const { return m_blocks[0].inputs; }
  std::span<const ValueId> outputs() const { return m_blocks[0].outputs; }

  /// Finds a value by name; invalid if there is none. Names inside sub-graphs count too.
  ValueId findValue(std::string_view name) const;
  NodeId findNode(std::string_view name) const;

  /// The constant behind a value, or nullptr where it is computed.
  const Tensor* constant(ValueId id) const;

  // Building.
  BlockId addBlock(NodeId owner);
  ValueId addValue(Value value);
  NodeId addNode(Node node);
  Node& mutableNode(NodeId id) { return m_nodes[id.at()]; }
  Value& mutableValue(ValueId id) { return m_values[id.at()]; }
  Block& mutableBlock(BlockId id) { return m_blocks[id.at()]; }
  /// Sorts every block topologically (stable: file order where possible), fills in consumers and
  /// the name index. Throws InvalidModel for a cycle or a name that stands twice.
  void finish();

 private:
  void sortBlock(Block& block);

  std::vector<Node> m_nodes;
  std::vector<Value> m_values;
  std::vector<Block> m_blocks;
  std::vector<std::pair<std::string, ValueId>> m_valueIndex;  // sorted by name
  std::vector<std::pair<std::string, NodeId>> m_nodeIndex;    // sorted by name
};

/// The values that a node reads from outside: its own inputs, and what its bodies capture.
std::vector<ValueId> readValues(const Graph& graph, NodeId node);

/// The scope that a node's name stands in: "/a/b/c" → "/a/b", "a.b.c" → "a.b"; "" for none. If
/// TensorFlow Lite made the name of several ("a/Relu;a/BiasAdd"), the first one counts.
std::string scopeOf(std::string_view nodeName);
/// The last part of the name: "/a/b/c" → "c".
std::string shortName(std::string_view nodeName);

}  // namespace quantscope
