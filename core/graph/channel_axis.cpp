#include "graph/channel_axis.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace quantscope {
namespace {

const std::set<std::string_view> kConvolutionFamily{
    "Conv",
    "ConvTranspose",
    "ConvInteger",
    "QLinearConv",
    "MaxPool",
    "AveragePool",
    "GlobalAveragePool",
    "GlobalMaxPool",
    "LpPool",
    "GlobalLpPool",
    "BatchNormalization",
    "InstanceNormalization",
    "DepthToSpace",
    "SpaceToDepth",
    "GroupNormalization",
    "LRN",
    "DeformConv",
    "QLinearAveragePool",
    "QLinearGlobalAveragePool",
    "MaxRoiPool",
    "RoiAlign",
};

const std::set<std::string_view> kMatrixFamily{
    "MatMul",        "Gemm",  "LayerNormalization",   "MatMulInteger",
    "QLinearMatMul", "QGemm", "MatMulIntegerToFloat", "DynamicQuantizeMatMul",
};

// Operators whose output has the axes of their (first) input.
const std::set<std::string_view> kCarriers{
    "Relu",
    "LeakyRelu",
    "PRelu",
    "Elu",
    "Selu",
    "Celu",
    "Clip",
    "Sigmoid",
    "Tanh",
    "HardSigmoid",
    "HardSwish",
    "Softplus",
    "Softsign",
    "Mish",
    "Gelu",
    "Erf",
    "Exp",
    "Log",
    "Sqrt",
    "Reciprocal",
    "Neg",
    "Abs",
    "Pow",
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Min",
    "Max",
    "Where",
    "Concat",
    "Slice",
    "Split",
    "Pad",
    "Resize",
    "Upsample",
    "Identity",
    "Dropout",
    "Cast",
    "Softmax",
    "LogSoftmax",
    "Round",
    "Floor",
    "Ceil",
    "Expand",
    "QuantizeLinear",
    "DequantizeLinear",
    "ThresholdedRelu",
    "QLinearAdd",
    "QLinearMul",
    "QLinearConcat",
    "QLinearLeakyRelu",
    "QLinearSigmoid",
    "CenterCropPad",
};

ChannelAxis throughTranspose(const Node& node, ChannelAxis input) {
  const std::vector<std::int64_t> permutation = node.integers("perm");
  const int axis = input.of(permutation.size());
  const auto found = std::ranges::find(permutation, axis);
  if (axis < 0 || found == permutation.end()) return {};
  return {static_cast<int>(found - permutation.begin())};
}

ChannelAxis outputAxis(const Graph& graph, const Node& node, const std::vector<ChannelAxis>& axes) {
  if (kConvolutionFamily.contains(node.op)) return {1};
  if (kMatrixFamily.contains(node.op)) return {-1};
  const auto inputAxis = [&](ValueId input) {
    return input.valid() && graph.constant(input) == nullptr ? axes[input.at()] : ChannelAxis{};
  };
  if (node.op == "Transpose") return throughTranspose(node, inputAxis(node.inputs.at(0)));
  if (!kCarriers.contains(node.op)) return {};
  for (const ValueId input : node.inputs) {
    const ChannelAxis axis = inputAxis(input);
    if (axis.exists()) return axis;
  }
  return {};
}

// What nobody has given channels has those that its readers look for: a convolution on axis 1, a
// linear layer, behind a Flatten for example, on the last.
ChannelAxis axisForReaders(const Graph& graph, ValueId value) {
  ChannelAxis axis;
  for (const NodeId reader : graph[value].consumers) {
    const Node& node = graph[reader];
    if (node.inputs.empty() || node.inputs[0] != value) continue;
    if (kConvolutionFamily.contains(node.op)) return {1};
    const bool linear = kMatrixFamily.contains(node.op) && node.inputs.size() > 1 &&
                        node.inputs[1].valid() && graph.constant(node.inputs[1]) != nullptr;
    if (linear) axis = {-1};
  }
  return axis;
}

void visitBlock(const Graph& graph, BlockId block, std::vector<ChannelAxis>& axes) {
  for (const NodeId id : graph[block].nodes) {
    const Node& node = graph[id];
    for (const auto& [name, body] : node.bodies) visitBlock(graph, body, axes);
    if (node.inputs.empty()) continue;
    const ChannelAxis axis = outputAxis(graph, node, axes);
    for (const ValueId output : node.outputs) {
      if (output.valid()) axes[output.at()] = axis.exists() ? axis : axisForReaders(graph, output);
    }
  }
}

}  // namespace

int ChannelAxis::of(std::size_t rank) const {
  if (!exists()) return -1;
  const int normalized = axis < 0 ? axis + static_cast<int>(rank) : axis;
  return normalized >= 0 && normalized < static_cast<int>(rank) ? normalized : -1;
}

std::vector<ChannelAxis> findChannelAxes(const Graph& graph) {
  std::vector<ChannelAxis> axes(graph.values().size());
  for (const ValueId input : graph.inputs()) axes[input.at()] = axisForReaders(graph, input);
  visitBlock(graph, Graph::mainBlock(), axes);
  return axes;
}

}  // namespace quantscope
