#include "export/qdq/draft_builder.h"

#include <algorithm>
#include <utility>

#include "onnx/element_numbers.h"
#include "onnx/operator_versions.h"

namespace quantscope {

ValueType typeOfTensor(const Tensor& tensor) {
  ValueType type{.element = tensor.type(), .shape = std::vector<Dimension>()};
  for (const std::int64_t extent : tensor.shape()) {
    type.shape->push_back({.extent = extent, .symbol = {}});
  }
  return type;
}

ValueType withElement(ValueType type, ElementType element) {
  type.element = element;
  return type;
}

ValueId DraftBuilder::constant(const std::string& name, Tensor tensor, BlockId block,
                               int storedType) {
  Value value;
  value.name = m_valueNames.takeLike(name);
  value.type = typeOfTensor(tensor);
  value.block = block;
  value.constant = std::move(tensor);
  const ValueId id = graph().addValue(std::move(value));
  if (storedType != 0) m_draft.storedTypes.emplace(id, storedType);
  return id;
}

ValueId DraftBuilder::node(const NewNode& node, const std::string& base, BlockId block,
                           const ValueType& type) {
  return nodes(node, base, block, {type}).front();
}

std::vector<ValueId> DraftBuilder::nodes(const NewNode& node, const std::string& base,
                                         BlockId block, const std::vector<ValueType>& types) {
  m_microsoft |= node.domain == "com.microsoft";
  Node added;
  added.name = m_nodeNames.takeLike(base + "_" + std::string(node.op));
  added.op = node.op;
  added.domain = node.domain;
  added.version = operatorVersion(node.domain, node.op, m_opset);
  added.inputs = node.inputs;
  added.attributes = node.attributes;
  added.block = block;
  for (const ValueType& type : types) {
    Value value;
    value.name = m_valueNames.takeLike(base + "_" + std::string(node.op) + "_Output");
    value.type = type;
    value.block = block;
    added.outputs.push_back(graph().addValue(std::move(value)));
  }
  const std::vector<ValueId> outputs = added.outputs;
  graph().addNode(std::move(added));
  return outputs;
}

void DraftBuilder::narrowInto(ValueId wide, ValueId narrow, const std::string& base) {
  const Value& target = graph()[narrow];
  Node cast;
  cast.name = m_nodeNames.takeLike(base + "_Cast");
  cast.op = "Cast";
  cast.version = operatorVersion("", "Cast", m_opset);
  cast.inputs = {wide};
  cast.outputs = {narrow};
  cast.attributes = {
      {"to", std::int64_t{onnxNumberOf(target.type.element.value_or(ElementType::Float32))}}};
  cast.block = target.block;
  graph().addNode(std::move(cast));
}

ModelDraft DraftBuilder::finish() {
  std::vector<std::pair<std::string, int>>& opsets = graph().opsets;
  const auto isMicrosoft = [](const auto& import) { return import.first == "com.microsoft"; };
  if (m_microsoft && std::ranges::none_of(opsets, isMicrosoft)) {
    opsets.emplace_back("com.microsoft", 1);
  }
  graph().finish();
  return std::move(m_draft);
}

}  // namespace quantscope
