#include "onnx/upgrade/node_upgrade.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace quantscope {

std::optional<Attribute::Data> NodeUpgrade::take(std::string_view attribute) {
  std::vector<Attribute>& attributes = m_graph.mutableNode(m_id).attributes;
  const auto found = std::ranges::find(attributes, attribute, &Attribute::name);
  if (found == attributes.end()) return std::nullopt;
  Attribute::Data data = std::move(found->data);
  attributes.erase(found);
  return data;
}

void NodeUpgrade::set(std::string_view attribute, Attribute::Data data) {
  drop(attribute);
  m_graph.mutableNode(m_id).attributes.push_back({std::string(attribute), std::move(data)});
}

ValueId NodeUpgrade::newValue(std::string_view suffix, const ValueType& type) {
  Value value;
  value.name = m_valueNames.takeLike(node().name + "_" + std::string(suffix));
  value.type = type;
  value.block = node().block;
  return m_graph.addValue(std::move(value));
}

ValueId NodeUpgrade::newConstant(Tensor constant, std::string_view suffix) {
  ValueType type{.element = constant.type(), .shape = std::vector<Dimension>()};
  for (const std::int64_t extent : constant.shape()) {
    type.shape->push_back({.extent = extent, .symbol = {}});
  }
  const ValueId id = newValue(suffix, type);
  m_graph.mutableValue(id).constant = std::move(constant);
  return id;
}

void NodeUpgrade::setInput(std::size_t index, Tensor constant, std::string_view suffix) {
  const ValueId id = newConstant(std::move(constant), suffix);
  std::vector<ValueId>& inputs = m_graph.mutableNode(m_id).inputs;
  if (inputs.size() <= index) inputs.resize(index + 1);
  inputs[index] = id;
}

void NodeUpgrade::moveInput(std::size_t from, std::size_t to) {
  std::vector<ValueId>& inputs = m_graph.mutableNode(m_id).inputs;
  if (from >= inputs.size()) {
    throw Error(ErrorCode::InvalidModel,
                node().op + " has no input " + std::to_string(from) + ", which it needs",
                {.file = {}, .node = node().name, .value = {}}, kExportAgain);
  }
  if (inputs.size() <= to) inputs.resize(to + 1);
  inputs[to] = std::exchange(inputs[from], ValueId());
}

void NodeUpgrade::integersToInput(std::string_view attribute, std::size_t index) {
  const auto integers = takeAs<std::vector<std::int64_t>>(attribute);
  if (!integers) return;
  const Shape shape{static_cast<std::int64_t>(integers->size())};
  setInput(index, Tensor::of(shape, std::span<const std::int64_t>(*integers)), attribute);
}

void NodeUpgrade::throwWrongType(std::string_view attribute) const {
  throw Error(ErrorCode::InvalidModel,
              "the attribute '" + std::string(attribute) + "' is of another type than it should be",
              {.file = {}, .node = node().name, .value = {}}, kExportAgain);
}

std::optional<std::size_t> NodeUpgrade::rank(std::size_t input) const {
  const auto& shape = m_graph[node().inputs.at(input)].type.shape;
  return shape ? std::optional(shape->size()) : std::nullopt;
}

ElementType NodeUpgrade::element(std::size_t input) const {
  return m_graph[node().inputs.at(input)].type.element.value_or(ElementType::Float32);
}

ValueId NodeUpgrade::addNode(std::string_view op, int version, ValueId input,
                             std::string_view suffix, const ValueType& type,
                             std::vector<Attribute> attributes) {
  Node added;
  added.name = m_nodeNames.takeLike(node().name + "_" + std::string(suffix));
  added.op = op;
  added.version = version;
  added.inputs = {input};
  added.attributes = std::move(attributes);
  added.block = node().block;
  const ValueId output = newValue(suffix, type);
  added.outputs = {output};
  m_graph.addNode(std::move(added));
  return output;
}

void NodeUpgrade::insertBefore(std::string_view op, int version, std::vector<Attribute> attributes,
                               std::string_view suffix) {
  const ValueId x = node().inputs.at(0);
  const ValueType type{.element = m_graph[x].type.element, .shape = std::nullopt};
  const ValueId output = addNode(op, version, x, suffix, type, std::move(attributes));
  m_graph.mutableNode(m_id).inputs[0] = output;
}

void NodeUpgrade::appendBehind(std::string_view op, int version, ValueId second) {
  const ValueId y = node().outputs.at(0);
  if (!y.valid()) refuse(version, "its first output is left out");
  const ValueType type{.element = m_graph[y].type.element, .shape = std::nullopt};
  const ValueId own = newValue("flat", type);
  m_graph.mutableNode(m_id).outputs[0] = own;
  m_graph.mutableValue(own).producer = m_id;
  Node added;
  added.name = m_nodeNames.takeLike(node().name + "_" + std::string(op));
  added.op = op;
  added.version = version;
  added.inputs = {own, second};
  added.outputs = {y};
  added.block = node().block;
  m_graph.addNode(std::move(added));
}

void NodeUpgrade::splitOff(std::string_view op, int version, Tensor second,
                           std::string_view suffix) {
  appendBehind(op, version, newConstant(std::move(second), suffix));
}

void NodeUpgrade::refuse(int version, const std::string& why) const {
  throw Error(ErrorCode::UnsupportedOperation,
              node().op + " of version " + std::to_string(node().version) +
                  " cannot be lifted to version " + std::to_string(version) +
                  (why.empty() ? "" : ": " + why),
              {.file = {}, .node = node().name, .value = {}},
              "export the model again with a newer opset, or ask for a lower one");
}

}  // namespace quantscope
