#include "onnx/writing/write_model.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "base/error.h"
#include "onnx/element_numbers.h"
#include "onnx/writing/tensor_message.h"

namespace quantscope {
namespace {

// Limit of a message, less room for names and attributes.
constexpr std::size_t kMaxConstantBytes = (std::size_t{1} << 31) - (std::size_t{1} << 26);

// The version of the format that came with an opset; at least the one from which on an initializer
// need not be an input too, as none is here. Source: Versioning.md and IR.md of ONNX.
int formatVersion(int opset) {
  constexpr std::array kFirstOpsets = std::to_array<std::pair<int, int>>(
      {{24, 12}, {23, 11}, {21, 10}, {19, 9}, {15, 8}, {12, 7}, {11, 6}, {10, 5}});
  for (const auto& [first, version] : kFirstOpsets) {
    if (opset >= first) return version;
  }
  return 4;
}

void writeType(const ValueType& type, onnx::ValueInfoProto& info) {
  if (!type.element) return;
  onnx::TypeProto_Tensor& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(onnxNumberOf(*type.element));
  if (!type.shape) return;
  onnx::TensorShapeProto& shape = *tensor.mutable_shape();
  for (const Dimension& dimension : *type.shape) {
    onnx::TensorShapeProto_Dimension& written = *shape.add_dim();
    if (dimension.known()) {
      written.set_dim_value(dimension.extent);
    } else if (!dimension.symbol.empty()) {
      written.set_dim_param(dimension.symbol);
    }
  }
}

struct AttributeWriter {
  onnx::AttributeProto& message;

  void operator()(std::int64_t value) const {
    message.set_type(onnx::AttributeProto::INT);
    message.set_i(value);
  }
  void operator()(float value) const {
    message.set_type(onnx::AttributeProto::FLOAT);
    message.set_f(value);
  }
  void operator()(const std::string& value) const {
    message.set_type(onnx::AttributeProto::STRING);
    message.set_s(value);
  }
  void operator()(const Tensor& value) const {
    if (!value.defined()) {
      throw Error(ErrorCode::InvalidModel,
                  "the attribute '" + message.name() + "' holds elements that are not read", {},
                  "use tensors of numbers or booleans");
    }
    message.set_type(onnx::AttributeProto::TENSOR);
    writeTensor(value, 0, *message.mutable_t());
  }
  void operator()(const std::vector<std::int64_t>& values) const {
    message.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) message.add_ints(value);
  }
  void operator()(const std::vector<float>& values) const {
    message.set_type(onnx::AttributeProto::FLOATS);
    for (const float value : values) message.add_floats(value);
  }
  void operator()(const std::vector<std::string>& values) const {
    message.set_type(onnx::AttributeProto::STRINGS);
    for (const std::string& value : values) message.add_strings(value);
  }
};

class ModelWriter {
 public:
  explicit ModelWriter(const ModelDraft& draft) : m_draft(draft), m_graph(draft.graph) {
    m_constants.resize(m_graph.blocks().size());
    m_read.resize(m_graph.values().size());
    for (const Node& node : m_graph.nodes()) markRead(node.inputs);
    for (const Block& block : m_graph.blocks()) markRead(block.outputs);
    for (std::size_t i = 0; i < m_graph.values().size(); ++i) {
      const Value& value = m_graph.values()[i];
      if (!value.producer.valid() && value.constant.defined()) {
        m_constants[value.block.at()].emplace_back(i);
      }
    }
  }

  onnx::ModelProto write() {
    requireSize();
    onnx::ModelProto model;
    int opset = 1;
    for (const auto& [domain, version] : m_graph.opsets) {
      onnx::OperatorSetIdProto& import = *model.add_opset_import();
      import.set_domain(domain);
      import.set_version(version);
      if (domain.empty()) opset = version;
    }
    model.set_ir_version(std::max(m_graph.irVersion, formatVersion(opset)));
    model.set_producer_name("quantscope");
    onnx::GraphProto& graph = *model.mutable_graph();
    graph.set_name(m_graph.name.empty() ? "graph" : m_graph.name);
    writeBlock(Graph::mainBlock(), {}, graph);
    return model;
  }

 private:
  void markRead(const std::vector<ValueId>& values) {
    for (const ValueId value : values) {
      if (value.valid()) m_read[value.at()] = true;
    }
  }

  void requireSize() const {
    std::size_t bytes = 0;
    for (const Value& value : m_graph.values()) {
      if (value.constant.defined()) bytes += value.constant.byteSize();
    }
    if (bytes <= kMaxConstantBytes) return;
    throw Error(ErrorCode::InvalidModel,
                "the model's constants take " + std::to_string(bytes >> 20) +
                    " MiB, more than the 2 GiB that one ONNX file holds",
                {}, "quantize more of its weights, or cut the model");
  }

  void writeBlock(BlockId id, const std::string& prefix, onnx::GraphProto& message) const {
    const Block& block = m_graph[id];
    const bool isMain = id == Graph::mainBlock();
    for (const ValueId input : block.inputs) writeValue(input, *message.add_input());
    for (const ValueId output : block.outputs) {
      writeValue(output, *message.add_output());
    }
    for (const ValueId constant : m_constants[id.at()]) {
      if (!m_read[constant.at()]) continue;
      onnx::TensorProto& tensor = *message.add_initializer();
      tensor.set_name(m_graph[constant].name);
      const auto stored = m_draft.storedTypes.find(constant);
      writeTensor(m_graph[constant].constant,
                  stored == m_draft.storedTypes.end() ? 0 : stored->second, tensor);
    }
    for (const NodeId node : block.nodes) writeNode(m_graph[node], prefix, *message.add_node());
    if (!isMain) message.set_name(prefix);
  }

  void writeValue(ValueId id, onnx::ValueInfoProto& info) const {
    info.set_name(m_graph[id].name);
    writeType(m_graph[id].type, info);
  }

  void writeNode(const Node& node, const std::string& prefix, onnx::NodeProto& message) const {
    try {
      const std::string_view name = node.name;
      message.set_name(std::string(name.starts_with(prefix) ? name.substr(prefix.size()) : name));
      message.set_op_type(node.op);
      message.set_domain(node.domain);
      for (const ValueId input : node.inputs) message.add_input(inputName(input));
      for (const ValueId output : node.outputs) {
        message.add_output(output.valid() ? m_graph[output].name : std::string());
      }
      for (const Attribute& attribute : node.attributes) {
        onnx::AttributeProto& written = *message.add_attribute();
        written.set_name(attribute.name);
        std::visit(AttributeWriter{written}, attribute.data);
      }
      for (const auto& [body, block] : node.bodies) {
        onnx::AttributeProto& written = *message.add_attribute();
        written.set_name(bodyAttribute(body));
        written.set_type(onnx::AttributeProto::GRAPH);
        writeBlock(block, node.name + "/" + body + "/", *written.mutable_g());
      }
    } catch (const Error& error) {
      throw error.at({.file = {}, .node = node.name, .value = {}});
    }
  }

  // The reverse of bodyName().
  static std::string bodyAttribute(const std::string& body) {
    return body == "then" || body == "else" ? body + "_branch" : body;
  }

  std::string inputName(ValueId id) const {
    if (!id.valid()) return {};
    const Value& value = m_graph[id];
    const std::vector<ValueId>& inputs = m_graph[value.block].inputs;
    const bool known = value.producer.valid() || value.constant.defined() ||
                       std::ranges::find(inputs, id) != inputs.end();
    if (known) return value.name;
    throw Error(ErrorCode::InvalidModel, "a constant has elements that are not read",
                {.file = {}, .node = {}, .value = value.name},
                "use tensors of numbers or booleans");
  }

  const ModelDraft& m_draft;
  const Graph& m_graph;
  std::vector<std::vector<ValueId>> m_constants;  // by block: initializers
  std::vector<bool> m_read;                       // by value
};

}  // namespace

std::string modelBytes(const ModelDraft& draft) {
  const onnx::ModelProto model = ModelWriter(draft).write();
  std::string bytes;
  if (model.ByteSizeLong() > std::numeric_limits<std::int32_t>::max() ||
      !model.SerializeToString(&bytes)) {
    throw Error(ErrorCode::InvalidModel, "the model takes more than the 2 GiB that one file holds",
                {}, "quantize more of its weights, or cut the model");
  }
  return bytes;
}

}  // namespace quantscope
