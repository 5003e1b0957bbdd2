#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "graph/graph.h"
#include "onnx/names.h"
#include "onnx/tensors.h"

namespace quantscope {

/// Builds one graph from one model message.
///
/// Every list of nodes (main graph, sub-graph, body of a model-local function) first declares all
/// the values that it makes, so that names resolve in any order of the nodes: first in the list
/// itself, then in the lists around it. A call of a model-local function becomes the nodes of the
/// function, named "CALL/NAME".
class GraphBuilder {
 public:
  GraphBuilder(const onnx::ModelProto& model, const TensorReader& tensors);

  /// The graph before finish(). Throws InvalidModel with the node or value where it is not sound.
  Graph build();

 private:
  using Opsets = std::map<std::string, int>;
  using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
  using Imports = google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto>;

  /// The names that are visible in one list of nodes, and how new ones are formed there.
  struct Scope {
    const Scope* outer = nullptr;  ///< none for the main graph and for functions
    BlockId block;
    std::string prefix;  ///< of node names: "" or "PARENT/then/"
    const Opsets* opsets = nullptr;
    const onnx::NodeProto* call = nullptr;  ///< inside a function: the node that calls it
    const Scope* callScope = nullptr;       ///< … and where that node stands
    int depth = 0;
    std::unordered_map<std::string, ValueId> values;
    std::unordered_map<std::string, ValueId> awaited;  ///< results of the call, not yet produced
  };

  struct BoundAttribute {
    const onnx::AttributeProto* message = nullptr;
    const Scope* scope = nullptr;  ///< where it is written
  };

  // Values: graph_builder.cpp
  void addGraph(const onnx::GraphProto& graph, Scope& scope);
  void declareInputs(const onnx::GraphProto& graph, Scope& scope);
  void declareInitializers(const onnx::GraphProto& graph, Scope& scope);
  void describeValues(const onnx::GraphProto& graph, const Scope& scope);
  void resolveOutputs(const onnx::GraphProto& graph, const Scope& scope);
  ValueId declare(const std::string& name, Scope& scope);
  ValueId resolve(const std::string& name, const Scope& scope, const std::string& node) const;
  void setConstant(ValueId id, Tensor constant);

  // Nodes: graph_builder_nodes.cpp
  void addNodes(const Nodes& nodes, Scope& scope);
  std::vector<std::string> nodeNames(const Nodes& nodes, const std::string& prefix);
  void addNode(const onnx::NodeProto& message, const std::string& name, const Scope& scope);
  void noteNarrowOutput(NodeId node);
  void addAttribute(const onnx::AttributeProto& written, NodeId node, const Scope& scope);
  void addBody(const std::string& name, const onnx::GraphProto& graph, NodeId owner,
               const Scope& outer);
  void addCall(const onnx::NodeProto& call, const onnx::FunctionProto& function,
               const std::string& name, const Scope& scope);
  Scope functionScope(const onnx::NodeProto& call, const onnx::FunctionProto& function,
                      const std::string& name, const Scope& scope) const;
  BoundAttribute bind(const onnx::AttributeProto& written, const Scope& scope) const;
  const onnx::FunctionProto* findFunction(const onnx::NodeProto& node) const;
  int versionOf(const Node& node, const Scope& scope) const;
  void checkDepth(int depth, const std::string& node) const;

  static Opsets readOpsets(const Imports& imports);

  const onnx::ModelProto& m_model;
  const TensorReader& m_tensors;
  Graph m_graph;
  UniqueNames m_valueNames;
  UniqueNames m_nodeNames;
  Opsets m_opsets;
  std::map<std::pair<std::string, std::string>, const onnx::FunctionProto*> m_functions;
  std::map<const onnx::FunctionProto*, Opsets> m_functionOpsets;
  std::map<ValueId, int> m_narrow;  // initializers of four bits or FP8: ONNX's number
  std::size_t m_calls = 0;
};

}  // namespace quantscope
