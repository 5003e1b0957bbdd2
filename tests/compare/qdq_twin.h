#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "export/qdq/qdq_model.h"
#include "jobs/sample_network.h"

namespace quantscope::test {

/// A bundled network and its QDQ model, which a test may change before it is read back.
class QdqTwin {
 public:
  explicit QdqTwin(const std::string& name, const std::string& configJson = "");

  SampleNetwork network;
  QdqModel qdq;

  Graph& graph() { return qdq.draft.graph; }
  const Graph& original() const { return *network.model.graph; }

  /// The products with weights that are codes, by name, in order.
  std::vector<NodeId> products() const;
  /// What makes a product's weight of codes.
  NodeId weightDequantizer(NodeId product) const;
  /// What makes a node's output of codes again; none where that is not rounded.
  NodeId outputDequantizer(NodeId node) const;
  /// A copy of a constant for a node alone, in place of its input.
  Tensor& ownConstant(NodeId node, std::size_t input);
  /// Takes a node with one data input out: who read its output reads that input.
  void bypass(NodeId node);
  /// All names but those of inputs and outputs become meaningless.
  void rename();

  /// The changed model, read back.
  std::shared_ptr<const Engine> read();
};

}  // namespace quantscope::test
