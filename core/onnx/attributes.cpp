#include "onnx/attributes.h"

namespace quantscope {
namespace {

template <class T, class Field>
std::vector<T> toVector(const Field& field) {
  return {field.begin(), field.end()};
}

std::optional<Attribute::Data> dataOf(const onnx::AttributeProto& message,
                                      const TensorReader& tensors) {
  switch (kindOf(message)) {
    case onnx::AttributeProto::FLOAT:
      return message.f();
    case onnx::AttributeProto::INT:
      return message.i();
    case onnx::AttributeProto::STRING:
      return message.s();
    case onnx::AttributeProto::TENSOR:
      return tensors.read(message.t());
    case onnx::AttributeProto::FLOATS:
      return toVector<float>(message.floats());
    case onnx::AttributeProto::INTS:
      return toVector<std::int64_t>(message.ints());
    case onnx::AttributeProto::STRINGS:
      return toVector<std::string>(message.strings());
    default:
      return std::nullopt;
  }
}

template <class T>
Tensor listTensor(const std::vector<T>& elements) {
  return Tensor::of(Shape{static_cast<std::int64_t>(elements.size())}, std::span(elements));
}

}  // namespace

onnx::AttributeProto::AttributeType kindOf(const onnx::AttributeProto& message) {
  if (message.type() != onnx::AttributeProto::UNDEFINED) return message.type();
  if (message.has_f()) return onnx::AttributeProto::FLOAT;
  if (message.has_i()) return onnx::AttributeProto::INT;
  if (message.has_s()) return onnx::AttributeProto::STRING;
  if (message.has_t()) return onnx::AttributeProto::TENSOR;
  if (message.has_g()) return onnx::AttributeProto::GRAPH;
  if (message.floats_size() > 0) return onnx::AttributeProto::FLOATS;
  if (message.ints_size() > 0) return onnx::AttributeProto::INTS;
  if (message.strings_size() > 0) return onnx::AttributeProto::STRINGS;
  return onnx::AttributeProto::UNDEFINED;
}

std::optional<Attribute> toAttribute(const onnx::AttributeProto& message,
                                     const TensorReader& tensors) {
  std::optional<Attribute::Data> data = dataOf(message, tensors);
  if (!data) return std::nullopt;
  return Attribute{.name = message.name(), .data = *std::move(data)};
}

std::string bodyName(const std::string& attribute) {
  if (attribute == "then_branch") return "then";
  if (attribute == "else_branch") return "else";
  return attribute;
}

Tensor constantOf(const Node& node) {
  if (node.attributes.size() != 1) return {};
  const Attribute& only = node.attributes.front();
  if (const auto* tensor = std::get_if<Tensor>(&only.data)) return *tensor;
  if (const auto* real = std::get_if<float>(&only.data)) return Tensor::scalar(*real);
  if (const auto* integer = std::get_if<std::int64_t>(&only.data)) return Tensor::scalar(*integer);
  if (const auto* reals = std::get_if<std::vector<float>>(&only.data)) return listTensor(*reals);
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&only.data)) {
    return listTensor(*integers);
  }
  return {};
}

}  // namespace quantscope
