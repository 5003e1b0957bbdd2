#include "support/onnx_bytes.h"

#include <cstring>

namespace quantscope::test {
namespace {

enum WireType { kVarint = 0, kLengthDelimited = 2, kFixed32 = 5 };

template <class T>
std::string rawBytes(const std::vector<T>& elements) {
  std::string bytes(elements.size() * sizeof(T), '\0');
  if (!elements.empty()) std::memcpy(bytes.data(), elements.data(), bytes.size());
  return bytes;
}

ProtoMessage opsetImport(const std::string& domain, int version) {
  return ProtoMessage().bytes(1, domain).integer(2, version);
}

ProtoMessage valueInfo(const std::string& name) {
  const ProtoMessage dimension = ProtoMessage().integer(1, 2);
  const ProtoMessage shape = ProtoMessage().message(1, dimension);
  const ProtoMessage tensor = ProtoMessage().integer(1, kFloat).message(2, shape);
  return ProtoMessage().bytes(1, name).message(2, ProtoMessage().message(1, tensor));
}

}  // namespace

void ProtoMessage::varint(std::uint64_t value) {
  while (value >= 0x80U) {
    m_bytes += static_cast<char>((value & 0x7FU) | 0x80U);
    value >>= 7U;
  }
  m_bytes += static_cast<char>(value);
}

ProtoMessage& ProtoMessage::integer(int field, std::int64_t value) {
  varint(static_cast<std::uint64_t>(field) << 3U | kVarint);
  varint(static_cast<std::uint64_t>(value));
  return *this;
}

ProtoMessage& ProtoMessage::real(int field, float value) {
  varint(static_cast<std::uint64_t>(field) << 3U | kFixed32);
  m_bytes += rawBytes(std::vector<float>{value});
  return *this;
}

ProtoMessage& ProtoMessage::bytes(int field, std::string_view value) {
  varint(static_cast<std::uint64_t>(field) << 3U | kLengthDelimited);
  varint(value.size());
  m_bytes += value;
  return *this;
}

ProtoMessage onnxTensor(const std::string& name, int type, const std::vector<std::int64_t>& dims) {
  ProtoMessage tensor;
  for (const std::int64_t extent : dims) tensor.integer(1, extent);
  return tensor.integer(2, type).bytes(8, name);
}

ProtoMessage onnxFloats(const std::string& name, const std::vector<std::int64_t>& dims,
                        const std::vector<float>& elements) {
  return onnxTensor(name, kFloat, dims).bytes(9, rawBytes(elements));
}

ProtoMessage onnxIntegers(const std::string& name, const std::vector<std::int64_t>& dims,
                          const std::vector<std::int64_t>& elements) {
  return onnxTensor(name, kInt64, dims).bytes(9, rawBytes(elements));
}

ProtoMessage onnxExternal(const std::string& name, const std::vector<std::int64_t>& dims,
                          const std::string& location, const std::string& offset,
                          const std::string& length) {
  ProtoMessage tensor = onnxTensor(name, kFloat, dims);
  const auto entry = [&](const char* key, const std::string& value) {
    if (!value.empty()) tensor.message(13, ProtoMessage().bytes(1, key).bytes(2, value));
  };
  entry("location", location);
  entry("offset", offset);
  entry("length", length);
  return tensor.integer(14, 1);
}

ProtoMessage onnxAttribute(const std::string& name, std::int64_t value) {
  return ProtoMessage().bytes(1, name).integer(3, value).integer(20, 2);
}

ProtoMessage onnxAttribute(const std::string& name, const ProtoMessage& tensor) {
  return ProtoMessage().bytes(1, name).message(5, tensor).integer(20, 4);
}

ProtoMessage onnxGraphAttribute(const std::string& name, const ProtoMessage& graph) {
  return ProtoMessage().bytes(1, name).message(6, graph).integer(20, 5);
}

ProtoMessage onnxNode(const OnnxNode& node) {
  ProtoMessage message;
  for (const std::string& input : node.inputs) message.bytes(1, input);
  for (const std::string& output : node.outputs) message.bytes(2, output);
  message.bytes(3, node.name).bytes(4, node.op).bytes(7, node.domain);
  for (const ProtoMessage& attribute : node.attributes) message.message(5, attribute);
  return message;
}

ProtoMessage onnxGraph(const OnnxGraph& graph) {
  ProtoMessage message;
  for (const OnnxNode& node : graph.nodes) message.message(1, onnxNode(node));
  message.bytes(2, "graph");
  for (const ProtoMessage& initializer : graph.initializers) message.message(5, initializer);
  for (const std::string& input : graph.inputs) message.message(11, valueInfo(input));
  for (const std::string& output : graph.outputs) {
    message.message(12, ProtoMessage().bytes(1, output));
  }
  return message;
}

ProtoMessage onnxFunction(const std::string& domain, const std::string& name, const OnnxGraph& body,
                          const std::vector<std::string>& attributes) {
  ProtoMessage message = ProtoMessage().bytes(1, name).bytes(10, domain);
  for (const std::string& input : body.inputs) message.bytes(4, input);
  for (const std::string& output : body.outputs) message.bytes(5, output);
  for (const std::string& attribute : attributes) message.bytes(6, attribute);
  for (const OnnxNode& node : body.nodes) message.message(7, onnxNode(node));
  return message.message(9, opsetImport("", 13)).message(9, opsetImport(domain, 1));
}

std::string onnxModel(const OnnxGraph& graph, int opset) {
  ProtoMessage model = ProtoMessage().integer(1, 8).bytes(2, "test").message(7, onnxGraph(graph));
  for (const ProtoMessage& function : graph.functions) model.message(25, function);
  return model.message(8, opsetImport("", opset)).text();
}

std::string onnxModel(const ProtoMessage& graph, int opset) {
  return ProtoMessage().integer(1, 8).message(7, graph).message(8, opsetImport("", opset)).text();
}

}  // namespace quantscope::test
