#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace quantscope::test {

/// A message in Protocol Buffers' wire format, written field by field, so that a test can write
/// what no library would.
class ProtoMessage {
 public:
  ProtoMessage& integer(int field, std::int64_t value);
  ProtoMessage& real(int field, float value);
  /// Text, raw bytes or packed numbers.
  ProtoMessage& bytes(int field, std::string_view value);
  ProtoMessage& message(int field, const ProtoMessage& value) {
    return bytes(field, value.m_bytes);
  }

  const std::string& text() const { return m_bytes; }

 private:
  void varint(std::uint64_t value);

  std::string m_bytes;
};

/// ONNX's numbers for element types.
enum OnnxType {
  kFloat = 1,
  kUInt8 = 2,
  kInt8 = 3,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kFloat8Fnuz = 18
};

/// Dimensions and type, no elements yet.
ProtoMessage onnxTensor(const std::string& name, int type, const std::vector<std::int64_t>& dims);
/// A float tensor with the elements as raw bytes.
ProtoMessage onnxFloats(const std::string& name, const std::vector<std::int64_t>& dims,
                        const std::vector<float>& elements);
/// An int64 scalar or list.
ProtoMessage onnxIntegers(const std::string& name, const std::vector<std::int64_t>& dims,
                          const std::vector<std::int64_t>& elements);
/// The same tensor with its elements in another file.
ProtoMessage onnxExternal(const std::string& name, const std::vector<std::int64_t>& dims,
                          const std::string& location, const std::string& offset = "",
                          const std::string& length = "");

ProtoMessage onnxAttribute(const std::string& name, std::int64_t value);
ProtoMessage onnxAttribute(const std::string& name, const ProtoMessage& tensor);
ProtoMessage onnxGraphAttribute(const std::string& name, const ProtoMessage& graph);

struct OnnxNode {
  std::string op;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::string name;
  std::vector<ProtoMessage> attributes;
  std::string domain;
};
ProtoMessage onnxNode(const OnnxNode& node);

struct OnnxGraph {
  std::vector<OnnxNode> nodes;
  std::vector<std::string> inputs;  ///< float [2] each
  std::vector<std::string> outputs;
  std::vector<ProtoMessage> initializers;
  std::vector<ProtoMessage> functions;
};
ProtoMessage onnxGraph(const OnnxGraph& graph);

/// `body` has nodes, inputs and outputs.
ProtoMessage onnxFunction(const std::string& domain, const std::string& name, const OnnxGraph& body,
                          const std::vector<std::string>& attributes = {});

/// The bytes of a model file.
std::string onnxModel(const OnnxGraph& graph, int opset = 13);
std::string onnxModel(const ProtoMessage& graph, int opset = 13);

}  // namespace quantscope::test
