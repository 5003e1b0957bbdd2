#include "onnx/node_case_scope.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>

namespace quantscope::test {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTraining = "training";
constexpr std::string_view kRandom = "random numbers";
constexpr std::string_view kStrings = "strings";
constexpr std::string_view kSequences = "sequences and optional values";

constexpr std::array kRandomOperators = std::to_array<std::string_view>({
    "Bernoulli",
    "Multinomial",
    "RandomNormal",
    "RandomNormalLike",
    "RandomUniform",
    "RandomUniformLike",
});

template <class Message>
Message parsed(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  Message message;
  if (!message.ParseFromIstream(&stream)) throw std::runtime_error("cannot read " + file.string());
  return message;
}

double onlyNumber(const onnx::TensorProto& tensor) {
  const std::string& raw = tensor.raw_data();
  if (tensor.data_type() == onnx::TensorProto::BOOL) {
    return raw.empty() ? tensor.int32_data(0) : static_cast<double>(raw[0]);
  }
  if (raw.empty()) return tensor.float_data(0);
  float number = 0;
  raw.copy(reinterpret_cast<char*>(&number), sizeof(number));
  return number;
}

class Scope {
 public:
  explicit Scope(const fs::path& folder)
      : m_folder(folder), m_model(parsed<onnx::ModelProto>(folder / "model.onnx")) {}

  std::string find() {
    visit(m_model.graph());
    for (const onnx::FunctionProto& function : m_model.functions()) {
      for (const onnx::NodeProto& node : function.node()) visit(node);
    }
    return std::string(m_reason);
  }

 private:
  void visit(const onnx::GraphProto& graph) {
    for (const onnx::ValueInfoProto& value : graph.input()) visit(value.type());
    for (const onnx::ValueInfoProto& value : graph.output()) visit(value.type());
    for (const onnx::ValueInfoProto& value : graph.value_info()) visit(value.type());
    for (const onnx::NodeProto& node : graph.node()) visit(node);
  }

  void visit(const onnx::TypeProto& type) {
    if (type.has_sequence_type() || type.has_optional_type()) m_reason = kSequences;
    if (type.tensor_type().elem_type() == onnx::TensorProto::STRING) m_reason = kStrings;
  }

  void visit(const onnx::NodeProto& node) {
    const std::string& op = node.op_type();
    if (node.domain() == "ai.onnx.preview.training") m_reason = kTraining;
    if (std::ranges::find(kRandomOperators, op) != kRandomOperators.end()) m_reason = kRandom;
    if (op == "Dropout" && node.input_size() > 2 && isRandom(node)) m_reason = kRandom;
    if (op.starts_with("Optional") || op.find("Sequence") != std::string::npos) {
      // The only one of them that takes tensors.
      if (op != "ReverseSequence") m_reason = kSequences;
    }
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) visit(attribute.g());
    }
  }

  // Dropout in training mode, unless nothing is dropped.
  bool isRandom(const onnx::NodeProto& node) const {
    const double ratio = node.input(1).empty() ? 0.5 : givenNumber(node.input(1));
    return ratio != 0 && givenNumber(node.input(2)) != 0;
  }

  double givenNumber(const std::string& name) const {
    for (const onnx::TensorProto& tensor : m_model.graph().initializer()) {
      if (tensor.name() == name) return onlyNumber(tensor);
    }
    for (const onnx::NodeProto& node : m_model.graph().node()) {
      if (node.output(0) == name) return onlyNumber(node.attribute(0).t());
    }
    for (int i = 0; i < m_model.graph().input_size(); ++i) {
      if (m_model.graph().input(i).name() != name) continue;
      const std::string file = "input_" + std::to_string(i) + ".pb";
      return onlyNumber(parsed<onnx::TensorProto>(m_folder / "test_data_set_0" / file));
    }
    throw std::runtime_error("nothing gives " + name);
  }

  fs::path m_folder;
  onnx::ModelProto m_model;
  std::string_view m_reason;
};

}  // namespace

std::string whyOutOfScope(const fs::path& folder) {
  return Scope(folder).find();
}

}  // namespace quantscope::test
