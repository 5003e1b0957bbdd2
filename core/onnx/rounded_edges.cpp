#include "onnx/rounded_edges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "onnx/element_numbers.h"
#include "onnx/import.h"
#include "onnx/message_file.h"

namespace quantscope {
namespace {

constexpr std::string_view kQuantize = "QuantizeLinear";
constexpr std::string_view kDequantize = "DequantizeLinear";
constexpr std::string_view kDynamic = "DynamicQuantizeLinear";
// A computed scale lies this many operators behind the extremes that it comes from.
constexpr int kDeepestScale = 8;

/// ONNX's numbers of the constants' types: an import keeps four bits and FP8 in other types.
void addTypes(const onnx::GraphProto& graph, std::map<std::string, int>& types) {
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    types[tensor.name()] = tensor.data_type();
  }
  for (const onnx::NodeProto& node : graph.node()) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) addTypes(attribute.g(), types);
      if (node.op_type() == "Constant" && attribute.has_t() && node.output_size() > 0) {
        types[node.output(0)] = attribute.t().data_type();
      }
    }
  }
}

bool isHalf(ElementType type) {
  return type == ElementType::Float16 || type == ElementType::BFloat16;
}

/// The nodes of a file that the float model has, too.
class NodeTwins {
 public:
  NodeTwins(const Graph& file, const Graph& model) : m_twins(file.nodes().size()) {
    std::set<NodeId> taken;
    for (std::size_t i = 0; i < m_twins.size(); ++i) {
      const NodeId twin = twinOf(file, file.nodes()[i], model);
      if (twin.valid() && taken.insert(twin).second) m_twins[i] = twin;
    }
    matchLeft(file, model, taken);
  }

  NodeId of(NodeId node) const { return m_twins[node.at()]; }
  bool has(NodeId node) const { return of(node).valid(); }

 private:
  // Names are all lost where a tool chain has renamed a node and what it makes: the only one of its
  // operator that is left on both sides is the same.
  void matchLeft(const Graph& file, const Graph& model, const std::set<NodeId>& taken) {
    std::map<std::string, std::vector<std::size_t>> inFile;
    std::map<std::string, std::vector<std::size_t>> inModel;
    for (std::size_t i = 0; i < m_twins.size(); ++i) {
      if (!m_twins[i].valid()) inFile[file.nodes()[i].op].push_back(i);
    }
    for (std::size_t i = 0; i < model.nodes().size(); ++i) {
      if (!taken.contains(NodeId(i))) inModel[model.nodes()[i].op].push_back(i);
    }
    for (const auto& [op, nodes] : inFile) {
      const auto twin = inModel.find(op);
      if (nodes.size() != 1 || twin == inModel.end() || twin->second.size() != 1) continue;
      if (op == kQuantize || op == kDequantize || op == "Cast") continue;
      if (file.nodes()[nodes[0]].inputs.size() != model.nodes()[twin->second[0]].inputs.size()) {
        continue;
      }
      m_twins[nodes[0]] = NodeId(twin->second[0]);
    }
  }

  static NodeId twinOf(const Graph& file, const Node& node, const Graph& model) {
    // A lifted operator keeps its name where it gets another type.
    const NodeId named = model.findNode(node.name);
    const bool rounds = node.op == kQuantize || node.op == kDequantize || node.op == "Cast";
    if (named.valid() && (model[named].op == node.op || !rounds)) return named;
    for (const ValueId output : node.outputs) {
      if (!output.valid()) continue;
      const ValueId value = model.findValue(file[output].name);
      const NodeId maker = value.valid() ? model[value].producer : NodeId();
      if (maker.valid() && model[maker].op == node.op) return maker;
    }
    return {};
  }

  std::vector<NodeId> m_twins;  // by node of the file
};

class EdgeReader {
 public:
  EdgeReader(const Graph& file, const Graph& model, std::map<std::string, int> types)
      : m_file(file), m_model(model), m_types(std::move(types)), m_twins(file, model) {}

  RoundedModel read() {
    m_result.present.resize(m_model.nodes().size());
    m_rounds.resize(m_file.nodes().size());
    for (std::size_t i = 0; i < m_file.nodes().size(); ++i) {
      const NodeId twin = m_twins.of(NodeId(i));
      if (!twin.valid()) continue;
      m_result.present[twin.at()] = true;
      const std::vector<ValueId>& inputs = m_file.nodes()[i].inputs;
      for (std::size_t input = 0; input < inputs.size(); ++input) {
        if (inputs[input].valid()) m_result.edges.push_back(edgeTo(twin, input, inputs[input]));
      }
    }
    for (std::size_t i = 0; i < m_model.outputs().size(); ++i) {
      const ValueId output = m_file.findValue(m_model[m_model.outputs()[i]].name);
      if (output.valid()) m_result.edges.push_back(edgeTo({}, i, output));
    }
    noteForeign();
    return std::move(m_result);
  }

 private:
  // A first output may be left out; operators of unknown domains may be called the same.
  bool isOwn(NodeId id, std::string_view op) const {
    if (!id.valid() || m_twins.has(id)) return false;
    const Node& node = m_file[id];
    return node.op == op && node.version > 0 && !node.inputs.empty() && node.inputs[0].valid() &&
           node.outputs[0].valid();
  }

  RoundedEdge edgeTo(NodeId node, std::size_t input, ValueId value) {
    RoundedEdge edge{node, input, {}, {}};
    while (const std::optional<ValueId> before = stepBack(value, edge)) value = *before;
    std::ranges::reverse(edge.chain);
    const Tensor* constant = m_file.constant(value);
    if (constant != nullptr && edge.chain.empty()) edge.constant = *constant;
    return edge;
  }

  // The value before the last rounding or conversion of `value`; nullopt where it is none.
  std::optional<ValueId> stepBack(ValueId value, RoundedEdge& edge) {
    const NodeId producer = m_file[value].producer;
    if (isOwn(producer, kDequantize)) return beforePair(producer, edge);
    if (isOwn(producer, "Cast")) return beforeCast(producer, edge);
    if (isOwnShape(producer)) {
      noteRounding(producer);
      return m_file[producer].inputs[0];
    }
    // Types without a Clip for their codes are clipped before.
    if (isOwn(producer, "Clip") && !edge.chain.empty()) return beforeClip(producer, edge);
    return std::nullopt;
  }

  // An upgraded operator may stand between nodes that give its input and output another shape.
  bool isOwnShape(NodeId id) const {
    constexpr std::array<std::string_view, 5> kShapes{"Reshape", "Flatten", "Squeeze", "Unsqueeze",
                                                      "Identity"};
    return std::ranges::any_of(kShapes, [&](std::string_view op) { return isOwn(id, op); });
  }

  void noteRounding(NodeId node) { m_rounds[node.at()] = true; }

  std::optional<ValueId> beforePair(NodeId id, RoundedEdge& edge) {
    const Node& dequantize = m_file[id];
    FileRounding rounding;
    if (const Tensor* codes = m_file.constant(dequantize.inputs[0])) {
      if (!readGrid(dequantize, rounding)) return std::nullopt;
      rounding.onnxType = numberOf(dequantize.inputs[0]);
      noteRounding(id);
      edge.constant = dequantized(*codes, rounding);
      edge.chain.push_back(std::move(rounding));
      return std::nullopt;
    }
    NodeId maker = m_file[dequantize.inputs[0]].producer;
    const NodeId clip = maker;
    if (isOwn(clip, "Clip") && readBounds(m_file[clip], rounding)) {
      maker = m_file[m_file[clip].inputs[0]].producer;
      noteRounding(clip);
    }
    const bool dynamic = isOwn(maker, kDynamic);
    if (!dynamic && !isOwn(maker, kQuantize)) return std::nullopt;
    const Node& quantize = m_file[maker];
    if (dynamic) {
      rounding.onnxType = onnxNumberOf(ElementType::UInt8);
      rounding.dynamic = true;
    } else if (!readGrid(quantize, rounding) && !readComputedGrid(quantize, rounding)) {
      return std::nullopt;
    }
    noteRounding(id);
    noteRounding(maker);
    edge.chain.push_back(std::move(rounding));
    return quantize.inputs[0];
  }

  std::optional<ValueId> beforeCast(NodeId id, RoundedEdge& edge) {
    const ValueId from = m_file[id].inputs[0];
    const Tensor* constant = m_file.constant(from);
    const std::optional<ElementType> type =
        constant != nullptr ? std::optional(constant->type()) : m_file[from].type.element;
    if (!type || !isFloat(*type)) return std::nullopt;
    noteRounding(id);
    if (!isHalf(*type)) return from;
    FileRounding half;
    half.onnxType = onnxNumberOf(*type);
    if (constant != nullptr) {
      edge.constant = toFloat32(*constant);
      edge.chain.push_back(half);
      return std::nullopt;
    }
    const NodeId narrowing = m_file[from].producer;
    if (!isOwn(narrowing, "Cast")) return from;
    const ValueId wide = m_file[narrowing].inputs[0];
    if (m_file[wide].type.element != ElementType::Float32) return from;
    noteRounding(narrowing);
    edge.chain.push_back(half);
    return wide;
  }

  std::optional<ValueId> beforeClip(NodeId id, RoundedEdge& edge) {
    FileRounding& rounding = edge.chain.back();
    const Node& clip = m_file[id];
    const std::optional<float> low = boundOf(clip, 1);
    const std::optional<float> high = boundOf(clip, 2);
    if (!low || !high || rounding.scales.size() != 1 || rounding.lowest) return std::nullopt;
    const auto codeOf = [&](float bound) {
      return std::nearbyint(double{bound} / rounding.scales[0]) + rounding.zeroPoints[0];
    };
    if (std::abs(codeOf(*low)) > 1e6 || std::abs(codeOf(*high)) > 1e6) return std::nullopt;
    rounding.lowest = static_cast<std::int32_t>(codeOf(*low));
    rounding.highest = static_cast<std::int32_t>(codeOf(*high));
    noteRounding(id);
    return clip.inputs[0];
  }

  std::optional<float> boundOf(const Node& clip, std::size_t input) const {
    const Tensor* bound =
        input < clip.inputs.size() ? m_file.constant(clip.inputs[input]) : nullptr;
    if (bound == nullptr || bound->elementCount() != 1) return std::nullopt;
    const float value = toFloat32(*bound).values<float>()[0];
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
  }

  bool readBounds(const Node& clip, FileRounding& rounding) const {
    const std::optional<float> low = boundOf(clip, 1);
    const std::optional<float> high = boundOf(clip, 2);
    if (!low || !high || std::abs(*low) > 1e6F || std::abs(*high) > 1e6F) return false;
    rounding.lowest = static_cast<std::int32_t>(*low);
    rounding.highest = static_cast<std::int32_t>(*high);
    return true;
  }

  int numberOf(ValueId value) const {
    const auto found = m_types.find(m_file[value].name);
    if (found != m_types.end()) return found->second;
    const Tensor& constant = m_file[value].constant;
    return constant.defined() ? onnxNumberOf(constant.type()) : 0;
  }

  bool readGrid(const Node& node, FileRounding& rounding) const {
    const Tensor* scale = node.inputs.size() > 1 ? m_file.constant(node.inputs[1]) : nullptr;
    if (scale == nullptr || !isFloat(scale->type())) return false;
    const Tensor scales = toFloat32(*scale);
    rounding.scales.assign(scales.values<float>().begin(), scales.values<float>().end());
    rounding.zeroPoints.assign(rounding.scales.size(), 0);
    rounding.onnxType = static_cast<int>(node.integer("output_dtype", 2));
    if (node.inputs.size() > 2 && node.inputs[2].valid() && !readZeroPoints(node, rounding)) {
      return false;
    }
    rounding.axis = static_cast<int>(node.integer("axis", 1));
    rounding.blockSize = static_cast<int>(node.integer("block_size", 0));
    return true;
  }

  bool readZeroPoints(const Node& node, FileRounding& rounding) const {
    const Tensor* zero = m_file.constant(node.inputs[2]);
    if (zero == nullptr || zero->elementCount() != rounding.scales.size()) return false;
    rounding.onnxType = numberOf(node.inputs[2]);
    const Tensor zeros = toFloat32(*zero);
    // An FP8 zero point may be no number at all.
    const auto isCode = [](float code) { return code >= -0x1p31F && code < 0x1p31F; };
    if (!std::ranges::all_of(zeros.values<float>(), isCode)) return false;
    std::ranges::transform(zeros.values<float>(), rounding.zeroPoints.begin(),
                           [](float code) { return static_cast<std::int32_t>(code); });
    return true;
  }

  // A scale from the extremes of the value itself, and a zero point that is computed or constant.
  bool readComputedGrid(const Node& quantize, FileRounding& rounding) {
    if (quantize.inputs.size() < 3 || !quantize.inputs[1].valid() || !quantize.inputs[2].valid()) {
      return false;
    }
    std::vector<NodeId> makers;
    if (!comesFrom(quantize.inputs[1], quantize.inputs[0], kDeepestScale, makers)) return false;
    rounding.dynamic = true;
    rounding.scales.clear();
    rounding.zeroPoints.clear();
    rounding.symmetric = m_file.constant(quantize.inputs[2]) != nullptr;
    if (!rounding.symmetric) {
      comesFrom(quantize.inputs[2], quantize.inputs[0], 2 * kDeepestScale, makers);
    }
    const auto& element = m_file[quantize.inputs[2]].type.element;
    rounding.onnxType = rounding.symmetric ? numberOf(quantize.inputs[2])
                        : element          ? onnxNumberOf(*element)
                                           : 0;
    std::ranges::for_each(makers, [&](NodeId maker) { noteRounding(maker); });
    return true;
  }

  // True where `value` is computed from the extremes of `source` alone; notes the nodes between.
  bool comesFrom(ValueId value, ValueId source, int depth, std::vector<NodeId>& makers) const {
    if (m_file.constant(value) != nullptr) return true;
    const NodeId maker = m_file[value].producer;
    if (depth == 0 || !maker.valid() || m_twins.has(maker)) return false;
    if (std::ranges::find(makers, maker) != makers.end()) return true;
    makers.push_back(maker);
    for (const ValueId input : m_file[maker].inputs) {
      if (!input.valid() || input == source) continue;
      if (!comesFrom(input, source, depth - 1, makers)) return false;
    }
    return true;
  }

  // code · scale − zero point · scale, as DequantizeLinear has it; undefined for blocks.
  static Tensor dequantized(const Tensor& codes, const FileRounding& rounding) {
    const Tensor numbers = toFloat32(codes);
    Tensor real(ElementType::Float32, numbers.shape());
    const std::size_t scales = rounding.scales.size();
    if (rounding.blockSize > 0) return {};
    std::size_t inner = 1;
    if (scales > 1) {
      const auto rank = static_cast<int>(codes.shape().rank());
      const int axis = rounding.axis < 0 ? rounding.axis + rank : rounding.axis;
      if (axis < 0 || axis >= rank) return {};
      if (codes.shape()[static_cast<std::size_t>(axis)] != static_cast<std::int64_t>(scales)) {
        return {};
      }
      for (int i = axis + 1; i < rank; ++i) {
        inner *= static_cast<std::size_t>(codes.shape()[static_cast<std::size_t>(i)]);
      }
    }
    // Biases are 32-bit: floats do not hold all of them.
    const bool wide = codes.type() == ElementType::Int32;
    for (std::size_t i = 0; i < real.elementCount(); ++i) {
      const std::size_t k = scales > 1 ? i / inner % scales : 0;
      const float code =
          wide ? static_cast<float>(codes.values<std::int32_t>()[i]) : numbers.values<float>()[i];
      real.mutableValues<float>()[i] =
          (code - static_cast<float>(rounding.zeroPoints[k])) * rounding.scales[k];
    }
    return real;
  }

  void noteForeign() {
    for (std::size_t i = 0; i < m_file.nodes().size(); ++i) {
      const Node& node = m_file.nodes()[i];
      const bool rounds = m_rounds[i] || m_twins.has(NodeId(i)) || node.op == "Shape";
      const bool constant = std::ranges::all_of(node.outputs, [&](ValueId output) {
        return !output.valid() || m_file.constant(output) != nullptr;
      });
      if (!rounds && !constant && isRead(node)) m_result.foreign.push_back(node.name);
    }
  }

  bool isRead(const Node& node) const {
    return std::ranges::any_of(node.outputs, [&](ValueId output) {
      const std::span<const ValueId> outputs = m_file.outputs();
      return output.valid() && (!m_file[output].consumers.empty() ||
                                std::ranges::find(outputs, output) != outputs.end());
    });
  }

  const Graph& m_file;
  const Graph& m_model;
  std::map<std::string, int> m_types;
  NodeTwins m_twins;
  std::vector<bool> m_rounds;  // by node of the file: part of a rounding
  RoundedModel m_result;
};

}  // namespace

RoundedModel readRoundedModel(const std::filesystem::path& file, const Graph& model) {
  ContentHasher ignored;
  const auto graph = importModel(file);
  std::map<std::string, int> types;
  addTypes(readModelMessage(file, ignored).graph(), types);
  return EdgeReader(*graph, model, std::move(types)).read();
}

}  // namespace quantscope
