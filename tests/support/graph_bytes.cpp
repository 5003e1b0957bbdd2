#include "support/graph_bytes.h"

#include <array>

#include "support/onnx_bytes.h"

namespace quantscope::test {
namespace {

// ONNX's numbers of the element types, in the order of ElementType.
constexpr std::array kOnnxTypes{1, 11, 10, 16, 3, 2, 5, 4, 6, 12, 7, 13, 9};

int onnxType(ElementType type) {
  return kOnnxTypes.at(static_cast<std::size_t>(type));
}

// Two codes in a byte, the first in the low half.
std::string packed(const Tensor& tensor) {
  std::string bytes((tensor.elementCount() + 1) / 2, '\0');
  for (std::size_t i = 0; i < tensor.elementCount(); ++i) {
    const unsigned code = std::to_integer<unsigned>(tensor.bytes()[i]) & 0xFU;
    bytes[i / 2] =
        static_cast<char>(static_cast<unsigned char>(bytes[i / 2]) | code << (i % 2 * 4));
  }
  return bytes;
}

ProtoMessage tensorMessage(const Tensor& tensor, const std::string& name) {
  const auto extents = tensor.shape().dimensions();
  if (name.ends_with("int4")) {
    const int type = name.ends_with("_uint4") ? 21 : 22;
    return onnxTensor(name, type, {extents.begin(), extents.end()}).bytes(9, packed(tensor));
  }
  return onnxTensor(name, onnxType(tensor.type()), {extents.begin(), extents.end()})
      .bytes(9, {reinterpret_cast<const char*>(tensor.bytes()), tensor.byteSize()});
}

// AttributeProto's numbers: of the field that holds the data, and of the type.
struct AttributeWriter {
  ProtoMessage& message;

  void operator()(std::int64_t value) { message.integer(3, value).integer(20, 2); }
  void operator()(float value) { message.real(2, value).integer(20, 1); }
  void operator()(const std::string& value) { message.bytes(4, value).integer(20, 3); }
  void operator()(const Tensor& value) {
    message.message(5, tensorMessage(value, "")).integer(20, 4);
  }
  void operator()(const std::vector<std::int64_t>& values) {
    for (const std::int64_t value : values) message.integer(8, value);
    message.integer(20, 7);
  }
  void operator()(const std::vector<float>& values) {
    for (const float value : values) message.real(7, value);
    message.integer(20, 6);
  }
  void operator()(const std::vector<std::string>& values) {
    for (const std::string& value : values) message.bytes(9, value);
    message.integer(20, 8);
  }
};

class Writer {
 public:
  explicit Writer(const Graph& graph) : m_graph(graph) {}

  ProtoMessage block(BlockId id) const {
    ProtoMessage message;
    const Block& block = m_graph[id];
    for (const NodeId node : block.nodes) message.message(1, nodeMessage(m_graph[node]));
    message.bytes(2, "graph");
    for (const Value& value : m_graph.values()) {
      if (value.block == id && !value.producer.valid() && value.constant.defined()) {
        message.message(5, tensorMessage(value.constant, value.name));
      }
    }
    for (const ValueId input : block.inputs) message.message(11, valueMessage(input));
    for (const ValueId output : block.outputs) {
      message.message(12, ProtoMessage().bytes(1, m_graph[output].name));
    }
    return message;
  }

 private:
  std::string nameOf(ValueId value) const { return value.valid() ? m_graph[value].name : ""; }

  ProtoMessage valueMessage(ValueId id) const {
    const ValueType& type = m_graph[id].type;
    ProtoMessage tensor;
    tensor.integer(1, onnxType(type.element.value_or(ElementType::Float32)));
    if (type.shape) {
      ProtoMessage shape;
      for (const Dimension& dimension : *type.shape) {
        ProtoMessage extent;
        if (dimension.known()) extent.integer(1, dimension.extent);
        shape.message(1, extent);
      }
      tensor.message(2, shape);
    }
    return ProtoMessage().bytes(1, m_graph[id].name).message(2, ProtoMessage().message(1, tensor));
  }

  ProtoMessage nodeMessage(const Node& node) const {
    ProtoMessage message;
    for (const ValueId input : node.inputs) message.bytes(1, nameOf(input));
    for (const ValueId output : node.outputs) message.bytes(2, nameOf(output));
    message.bytes(3, node.name).bytes(4, node.op).bytes(7, node.domain);
    for (const Attribute& attribute : node.attributes) {
      ProtoMessage written;
      written.bytes(1, attribute.name);
      std::visit(AttributeWriter{written}, attribute.data);
      message.message(5, written);
    }
    for (const auto& [name, body] : node.bodies) {
      const std::string attribute = name == "body" ? name : name + "_branch";
      message.message(5, onnxGraphAttribute(attribute, block(body)));
    }
    return message;
  }

  const Graph& m_graph;
};

}  // namespace

std::string onnxModelOf(const Graph& graph) {
  ProtoMessage model;
  model.integer(1, 10).message(7, Writer(graph).block(Graph::mainBlock()));
  for (const auto& [domain, version] : graph.opsets) {
    model.message(8, ProtoMessage().bytes(1, domain).integer(2, version));
  }
  return model.text();
}

}  // namespace quantscope::test
