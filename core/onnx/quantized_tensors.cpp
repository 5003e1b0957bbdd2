#include "onnx/quantized_tensors.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "onnx/element_numbers.h"
#include "onnx/import.h"
#include "onnx/message_file.h"

namespace quantscope {
namespace {

constexpr std::string_view kQuantize = "QuantizeLinear";
constexpr std::string_view kDequantize = "DequantizeLinear";
constexpr std::string_view kClip = "Clip";
constexpr std::string_view kCast = "Cast";

/// ONNX's numbers of the initializers' types: an import keeps four bits and FP8 in other types.
std::map<std::string, int> typesOfInitializers(const onnx::GraphProto& graph) {
  std::map<std::string, int> types;
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    types[tensor.name()] = tensor.data_type();
  }
  return types;
}

class PairReader {
 public:
  PairReader(const Graph& graph, std::map<std::string, int> types)
      : m_graph(graph), m_types(std::move(types)) {}

  std::vector<RoundedTensor> read() const {
    std::vector<RoundedTensor> tensors;
    for (const Node& node : m_graph.nodes()) {
      if (is(kQuantize, node)) addActivation(node, tensors);
      if (is(kDequantize, node) && m_graph.constant(node.inputs[0]) != nullptr) {
        addConstant(node, tensors);
      }
    }
    return tensors;
  }

 private:
  // Operators of other domains may be called the same, and a first output left out.
  static bool is(std::string_view op, const Node& node) {
    return node.op == op && node.version > 0 && node.outputs[0].valid();
  }

  void addActivation(const Node& node, std::vector<RoundedTensor>& tensors) const {
    RoundedTensor tensor;
    if (!readGrid(node, tensor)) return;
    tensor.name = m_graph[beforeCasts(node.inputs[0])].name;
    std::vector<ValueId> codes{node.outputs[0]};
    for (std::size_t i = 0; i < codes.size(); ++i) {
      for (const NodeId id : m_graph[codes[i]].consumers) {
        const Node& next = m_graph[id];
        if (is(kClip, next) && readBounds(next, tensor)) codes.push_back(next.outputs[0]);
        if (is(kDequantize, next)) addConsumers(next.outputs[0], tensor);
      }
    }
    tensors.push_back(std::move(tensor));
  }

  void addConstant(const Node& node, std::vector<RoundedTensor>& tensors) const {
    const Value& codes = m_graph[node.inputs[0]];
    if (codes.constant.type() == ElementType::Int32) return;
    RoundedTensor tensor;
    if (!readGrid(node, tensor)) return;
    tensor.name = codes.name;
    tensor.isConstant = true;
    tensor.onnxType = numberOf(node.inputs[0]);
    addConsumers(node.outputs[0], tensor);
    tensors.push_back(std::move(tensor));
  }

  int numberOf(ValueId value) const {
    const auto found = m_types.find(m_graph[value].name);
    if (found != m_types.end()) return found->second;
    return onnxNumberOf(m_graph[value].constant.type());
  }

  bool readGrid(const Node& node, RoundedTensor& tensor) const {
    const Tensor* scale = node.inputs.size() > 1 ? m_graph.constant(node.inputs[1]) : nullptr;
    if (scale == nullptr || !isFloat(scale->type())) return false;
    const Tensor scales = toFloat32(*scale);
    tensor.scales.assign(scales.values<float>().begin(), scales.values<float>().end());
    tensor.zeroPoints.assign(tensor.scales.size(), 0);
    tensor.onnxType = static_cast<int>(node.integer("output_dtype", 2));
    if (node.inputs.size() > 2 && node.inputs[2].valid()) {
      const Tensor* zero = m_graph.constant(node.inputs[2]);
      if (zero == nullptr || zero->elementCount() != tensor.scales.size()) return false;
      tensor.onnxType = numberOf(node.inputs[2]);
      const Tensor zeros = toFloat32(*zero);
      // An FP8 zero point may be no number at all.
      const auto isCode = [](float code) { return code >= -0x1p31F && code < 0x1p31F; };
      if (!std::ranges::all_of(zeros.values<float>(), isCode)) return false;
      std::ranges::transform(zeros.values<float>(), tensor.zeroPoints.begin(),
                             [](float code) { return static_cast<std::int32_t>(code); });
    }
    tensor.axis = static_cast<int>(node.integer("axis", 1));
    tensor.blockSize = static_cast<int>(node.integer("block_size", 0));
    return true;
  }

  bool readBounds(const Node& clip, RoundedTensor& tensor) const {
    if (clip.inputs.size() != 3) return false;
    const Tensor* low = m_graph.constant(clip.inputs[1]);
    const Tensor* high = m_graph.constant(clip.inputs[2]);
    if (low == nullptr || high == nullptr) return false;
    if (low->elementCount() != 1 || high->elementCount() != 1) return false;
    tensor.lowest = static_cast<std::int32_t>(toFloat32(*low).values<float>()[0]);
    tensor.highest = static_cast<std::int32_t>(toFloat32(*high).values<float>()[0]);
    return true;
  }

  ValueId beforeCasts(ValueId value) const {
    const NodeId producer = m_graph[value].producer;
    return producer.valid() && is(kCast, m_graph[producer]) ? m_graph[producer].inputs[0] : value;
  }

  void addConsumers(ValueId real, RoundedTensor& tensor) const {
    for (const NodeId id : m_graph[real].consumers) {
      const Node& node = m_graph[id];
      if (is(kCast, node)) {
        addConsumers(node.outputs[0], tensor);
        continue;
      }
      const auto slot = std::ranges::find(node.inputs, real);
      if (slot == node.inputs.end()) continue;
      tensor.consumers.push_back(node.name);
      tensor.inputs.push_back(static_cast<std::size_t>(slot - node.inputs.begin()));
    }
  }

  const Graph& m_graph;
  std::map<std::string, int> m_types;
};

}  // namespace

std::vector<RoundedTensor> readQuantizedTensors(const std::filesystem::path& file) {
  ContentHasher ignored;
  const auto graph = importModel(file);
  return PairReader(*graph, typesOfInitializers(readModelMessage(file, ignored).graph())).read();
}

}  // namespace quantscope
