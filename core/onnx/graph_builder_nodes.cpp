#include <algorithm>

#include "base/error.h"
#include "onnx/attributes.h"
#include "onnx/graph_builder.h"
#include "onnx/message_file.h"
#include "onnx/names.h"
#include "onnx/operator_versions.h"
#include "onnx/required_operands.h"

namespace quantscope {
namespace {

// Functions that call functions grow exponentially; no file that is meant well comes near these.
constexpr std::size_t kMaxCalls = 100'000;
constexpr std::size_t kMaxInlinedNodes = 1'000'000;

std::string normalizedDomain(const std::string& domain) {
  return domain == "ai.onnx" ? std::string() : printableName(domain);
}

std::string firstOutput(const onnx::NodeProto& node) {
  const auto named = std::ranges::find_if(node.output(), [](const auto& n) { return !n.empty(); });
  return named == node.output().end() ? std::string() : printableName(*named);
}

}  // namespace

void GraphBuilder::addNodes(const Nodes& nodes, Scope& scope) {
  for (const onnx::NodeProto& node : nodes) {
    for (const std::string& output : node.output()) {
      if (!output.empty()) declare(output, scope);
    }
  }
  const std::vector<std::string> names = nodeNames(nodes, scope.prefix);
  for (int i = 0; i < nodes.size(); ++i) {
    const std::string& name = names[static_cast<std::size_t>(i)];
    if (const onnx::FunctionProto* function = findFunction(nodes[i])) {
      addCall(nodes[i], *function, name, scope);
    } else {
      addNode(nodes[i], name, scope);
    }
  }
}

// Names that the file gives go first, so that a made-up one never takes another node's own.
std::vector<std::string> GraphBuilder::nodeNames(const Nodes& nodes, const std::string& prefix) {
  std::vector<std::string> names(static_cast<std::size_t>(nodes.size()));
  const auto wanted = [&](const onnx::NodeProto& node) {
    return prefix + (node.name().empty()
                         ? madeUpNodeName(printableName(node.op_type()), firstOutput(node))
                         : printableName(node.name()));
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    const onnx::NodeProto& node = nodes[static_cast<int>(i)];
    if (!node.name().empty() && m_nodeNames.take(wanted(node))) names[i] = wanted(node);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) names[i] = m_nodeNames.takeLike(wanted(nodes[static_cast<int>(i)]));
  }
  return names;
}

void GraphBuilder::addNode(const onnx::NodeProto& message, const std::string& name,
                           const Scope& scope) {
  Node node;
  node.name = name;
  if (message.name() != name) node.fileName = message.name();
  node.op = printableName(message.op_type());
  node.domain = normalizedDomain(message.domain());
  node.version = versionOf(node, scope);
  node.block = scope.block;
  for (const std::string& input : message.input()) {
    node.inputs.push_back(resolve(input, scope, name));
  }
  for (const std::string& output : message.output()) {
    node.outputs.push_back(output.empty() ? ValueId{} : scope.values.at(output));
  }
  requireOperands(node);
  const NodeId id = m_graph.addNode(std::move(node));
  for (const onnx::AttributeProto& attribute : message.attribute()) {
    try {
      addAttribute(attribute, id, scope);
    } catch (const Error& error) {
      throw error.at({.file = {}, .node = name, .value = {}});
    }
  }
  noteNarrowOutput(id);
  const Node& added = m_graph[id];
  if (added.op == "Constant" && added.domain.empty() && !added.outputs.empty() &&
      added.outputs[0].valid()) {
    setConstant(added.outputs[0], constantOf(added));
  }
}

// A zero point of four bits or FP8 says that the codes are of that type too. As its own have become
// bytes or floats, the node is told by the attribute that means the same.
void GraphBuilder::noteNarrowOutput(NodeId id) {
  Node& node = m_graph.mutableNode(id);
  if (node.op != "QuantizeLinear" || node.inputs.size() < 3 || node.has("output_dtype")) return;
  const auto found = m_narrow.find(node.inputs[2]);
  if (found == m_narrow.end()) return;
  node.attributes.push_back({"output_dtype", std::int64_t{found->second}});
}

void GraphBuilder::addAttribute(const onnx::AttributeProto& written, NodeId node,
                                const Scope& scope) {
  const BoundAttribute bound = bind(written, scope);
  if (bound.message == nullptr) return;
  if (kindOf(*bound.message) == onnx::AttributeProto::GRAPH) {
    addBody(bodyName(written.name()), bound.message->g(), node, *bound.scope);
    return;
  }
  std::optional<Attribute> attribute = toAttribute(*bound.message, m_tensors);
  if (!attribute) return;
  attribute->name = written.name();
  m_graph.mutableNode(node).attributes.push_back(*std::move(attribute));
}

void GraphBuilder::addBody(const std::string& name, const onnx::GraphProto& graph, NodeId owner,
                           const Scope& outer) {
  checkDepth(outer.depth + 1, m_graph[owner].name);
  Scope scope;
  scope.outer = &outer;
  scope.block = m_graph.addBlock(owner);
  scope.prefix = m_graph[owner].name + "/" + printableName(name) + "/";
  scope.opsets = outer.opsets;
  scope.call = outer.call;
  scope.callScope = outer.callScope;
  scope.depth = outer.depth + 1;
  m_graph.mutableNode(owner).bodies.emplace_back(name, scope.block);
  addGraph(graph, scope);
}

void GraphBuilder::addCall(const onnx::NodeProto& call, const onnx::FunctionProto& function,
                           const std::string& name, const Scope& scope) {
  checkDepth(scope.depth + 1, name);
  const std::size_t nodes = m_graph.nodes().size() + static_cast<std::size_t>(function.node_size());
  if (++m_calls > kMaxCalls || nodes > kMaxInlinedNodes) {
    throw Error(ErrorCode::InvalidModel, "the model's functions unfold into too many nodes",
                {.file = {}, .node = name, .value = {}}, "export the model without functions");
  }
  Scope body = functionScope(call, function, name, scope);
  addNodes(function.node(), body);
  if (body.awaited.empty()) return;
  throw Error(ErrorCode::InvalidModel, "no node of the function makes its result",
              {.file = {}, .node = name, .value = printableName(body.awaited.begin()->first)},
              kExportAgain);
}

GraphBuilder::Scope GraphBuilder::functionScope(const onnx::NodeProto& call,
                                                const onnx::FunctionProto& function,
                                                const std::string& name, const Scope& scope) const {
  Scope body;
  body.block = scope.block;
  body.prefix = name + "/";
  body.opsets = &m_functionOpsets.at(&function);
  body.call = &call;
  body.callScope = &scope;
  body.depth = scope.depth + 1;
  for (int i = 0; i < function.input_size(); ++i) {
    body.values[function.input(i)] =
        i < call.input_size() ? resolve(call.input(i), scope, name) : ValueId{};
  }
  for (int i = 0; i < std::min(function.output_size(), call.output_size()); ++i) {
    if (!call.output(i).empty()) {
      body.awaited[function.output(i)] = scope.values.at(call.output(i));
    }
  }
  return body;
}

// Inside a function an attribute may stand for one of the call, which may again stand for one.
GraphBuilder::BoundAttribute GraphBuilder::bind(const onnx::AttributeProto& written,
                                                const Scope& scope) const {
  if (written.ref_attr_name().empty()) return {&written, &scope};
  if (scope.call == nullptr) return {};
  const auto given = std::ranges::find(scope.call->attribute(), written.ref_attr_name(),
                                       [](const auto& attribute) { return attribute.name(); });
  if (given == scope.call->attribute().end()) return {};
  return bind(*given, *scope.callScope);
}

const onnx::FunctionProto* GraphBuilder::findFunction(const onnx::NodeProto& node) const {
  const auto found = m_functions.find({node.domain(), node.op_type()});
  return found == m_functions.end() ? nullptr : found->second;
}

int GraphBuilder::versionOf(const Node& node, const Scope& scope) const {
  const auto opset = scope.opsets->find(node.domain);
  if (opset != scope.opsets->end()) return operatorVersion(node.domain, node.op, opset->second);
  if (!node.domain.empty()) return operatorVersion(node.domain, node.op, 1);
  throw Error(ErrorCode::InvalidModel, "the model does not say which opset its operators are of",
              {.file = {}, .node = node.name, .value = {}}, kExportAgain);
}

void GraphBuilder::checkDepth(int depth, const std::string& node) const {
  if (depth <= kMaxNesting) return;
  throw Error(ErrorCode::InvalidModel,
              "sub-graphs are nested deeper than " + std::to_string(kMaxNesting) + " levels",
              {.file = {}, .node = node, .value = {}}, "simplify the model before exporting it");
}

}  // namespace quantscope
