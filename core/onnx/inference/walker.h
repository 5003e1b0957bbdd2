#pragma once

#include "onnx/inference/knowledge.h"

namespace quantscope::inference {

/// Applies the operators' rules to all nodes of a graph in order, and follows control flow into
/// its sub-graphs.
class Walker {
 public:
  explicit Walker(Graph& graph) : m_knowledge(graph) {}

  void walk() { walkBlock(Graph::mainBlock(), 0); }

 private:
  void walkBlock(BlockId block, int depth);
  void walkNode(NodeId id, int depth);
  void walkBodies(const Node& node, int depth);
  void walkIf(const Node& node, int depth);
  void walkLoop(const Node& node, int depth);
  void walkScan(const Node& node, int depth);
  void walkBatchedScan(const Node& node, int depth);

  const Graph& graph() const { return m_knowledge.graph(); }
  /// Nothing for an omitted value.
  ValueType typeOf(ValueId id) const;
  void setType(ValueId id, ValueType type);
  /// The facts that are common to both alternatives.
  ValueType commonType(ValueId a, ValueId b) const;

  Knowledge m_knowledge;
};

}  // namespace quantscope::inference
