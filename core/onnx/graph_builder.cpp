#include "onnx/graph_builder.h"

#include <algorithm>

#include "base/error.h"
#include "onnx/float8_numbers.h"
#include "onnx/four_bit_codes.h"
#include "onnx/names.h"

namespace quantscope {
namespace {

[[noreturn]] void refuseValue(const std::string& sentence, const std::string& value) {
  throw Error(ErrorCode::InvalidModel, sentence,
              {.file = {}, .node = {}, .value = printableName(value)}, kExportAgain);
}

ValueType typeOf(const Tensor& tensor) {
  ValueType type{.element = tensor.type(), .shape = std::vector<Dimension>()};
  for (const std::int64_t extent : tensor.shape()) {
    type.shape->push_back({.extent = extent, .symbol = {}});
  }
  return type;
}

}  // namespace

GraphBuilder::GraphBuilder(const onnx::ModelProto& model, const TensorReader& tensors)
    : m_model(model), m_tensors(tensors), m_opsets(readOpsets(model.opset_import())) {
  for (const onnx::FunctionProto& function : model.functions()) {
    m_functions[{function.domain(), function.name()}] = &function;
    m_functionOpsets[&function] = readOpsets(function.opset_import());
  }
  // Before version 3 of the format there was nothing but opset 1.
  if (model.ir_version() < 3) m_opsets.try_emplace("", 1);
}

Graph GraphBuilder::build() {
  m_graph.name = printableName(m_model.graph().name());
  m_graph.producerName = printableName(m_model.producer_name());
  m_graph.irVersion = static_cast<int>(m_model.ir_version());
  for (const auto& [domain, version] : m_opsets) {
    m_graph.opsets.emplace_back(printableName(domain), version);
  }
  Scope scope;
  scope.block = Graph::mainBlock();
  scope.opsets = &m_opsets;
  addGraph(m_model.graph(), scope);
  return std::move(m_graph);
}

void GraphBuilder::addGraph(const onnx::GraphProto& graph, Scope& scope) {
  declareInputs(graph, scope);
  declareInitializers(graph, scope);
  addNodes(graph.node(), scope);
  describeValues(graph, scope);
  resolveOutputs(graph, scope);
}

// An input of the main graph that has an initializer is a constant, and no input: before version 4
// of the format every initializer had to stand among the inputs. The inputs of a sub-graph are
// given by position, so there all of them count.
void GraphBuilder::declareInputs(const onnx::GraphProto& graph, Scope& scope) {
  std::unordered_set<std::string> initialized;
  if (scope.block == Graph::mainBlock()) {
    for (const onnx::TensorProto& tensor : graph.initializer()) initialized.insert(tensor.name());
    for (const auto& sparse : graph.sparse_initializer())
      initialized.insert(sparse.values().name());
  }
  for (const onnx::ValueInfoProto& input : graph.input()) {
    if (input.name().empty()) refuseValue("an input of the graph has no name", {});
    if (initialized.contains(input.name())) continue;
    const ValueId id = declare(input.name(), scope);
    m_graph.mutableBlock(scope.block).inputs.push_back(id);
  }
}

void GraphBuilder::declareInitializers(const onnx::GraphProto& graph, Scope& scope) {
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    if (tensor.name().empty()) refuseValue("an initializer has no name", {});
    const ValueId id = declare(tensor.name(), scope);
    try {
      setConstant(id, m_tensors.read(tensor));
      const int type = tensor.data_type();
      if (isFourBit(type) || isFloat8(type)) m_narrow.emplace(id, type);
    } catch (const Error& error) {
      throw error.at({.file = {}, .node = {}, .value = m_graph[id].name});
    }
  }
  // Known by name only: what reads them cannot be computed.
  for (const auto& sparse : graph.sparse_initializer()) declare(sparse.values().name(), scope);
}

void GraphBuilder::describeValues(const onnx::GraphProto& graph, const Scope& scope) {
  const auto describe = [&](const onnx::ValueInfoProto& info) {
    const auto found = scope.values.find(info.name());
    if (found == scope.values.end() || !found->second.valid()) return;
    Value& value = m_graph.mutableValue(found->second);
    if (!value.constant.defined()) value.type = toValueType(info.type());
  };
  std::ranges::for_each(graph.value_info(), describe);
  std::ranges::for_each(graph.input(), describe);
  std::ranges::for_each(graph.output(), describe);
}

void GraphBuilder::resolveOutputs(const onnx::GraphProto& graph, const Scope& scope) {
  std::vector<ValueId> outputs;
  for (const onnx::ValueInfoProto& output : graph.output()) {
    const ValueId id = resolve(output.name(), scope, {});
    if (!id.valid()) refuseValue("an output of the graph is produced by no node", output.name());
    if (scope.block == Graph::mainBlock() && std::ranges::find(outputs, id) != outputs.end()) {
      refuseValue("an output of the graph is listed twice", output.name());
    }
    outputs.push_back(id);
  }
  m_graph.mutableBlock(scope.block).outputs = std::move(outputs);
}

ValueId GraphBuilder::declare(const std::string& name, Scope& scope) {
  if (const auto awaited = scope.awaited.find(name); awaited != scope.awaited.end()) {
    const ValueId id = awaited->second;
    scope.awaited.erase(awaited);
    scope.values[name] = id;
    return id;
  }
  const auto [entry, isNew] = scope.values.try_emplace(name);
  if (!isNew) refuseValue("a value is defined more than once", name);
  const std::string printable = printableName(name);
  const bool keepsItsName = scope.call == nullptr && m_valueNames.take(printable);
  Value value;
  value.name = keepsItsName ? printable : m_valueNames.takeLike(scope.prefix + printable);
  value.block = scope.block;
  entry->second = m_graph.addValue(std::move(value));
  return entry->second;
}

ValueId GraphBuilder::resolve(const std::string& name, const Scope& scope,
                              const std::string& node) const {
  if (name.empty()) return {};
  for (const Scope* place = &scope; place != nullptr; place = place->outer) {
    const auto found = place->values.find(name);
    if (found != place->values.end()) return found->second;
  }
  throw Error(ErrorCode::InvalidModel, "a value is read that nothing defines",
              {.file = {}, .node = node, .value = printableName(name)}, kExportAgain);
}

void GraphBuilder::setConstant(ValueId id, Tensor constant) {
  if (!constant.defined()) return;
  Value& value = m_graph.mutableValue(id);
  value.type = typeOf(constant);
  value.constant = std::move(constant);
}

GraphBuilder::Opsets GraphBuilder::readOpsets(const Imports& imports) {
  Opsets opsets;
  for (const onnx::OperatorSetIdProto& import : imports) {
    const std::string domain = import.domain() == "ai.onnx" ? std::string() : import.domain();
    const auto version = static_cast<int>(std::clamp<std::int64_t>(import.version(), 0, 1 << 30));
    int& known = opsets[domain];
    known = std::max(known, version);
  }
  return opsets;
}

}  // namespace quantscope
