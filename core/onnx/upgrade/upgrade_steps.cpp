#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <span>

#include "onnx/upgrade/node_upgrade.h"

namespace quantscope {
namespace {

/// Versions that added types, optional inputs or attributes whose defaults keep the meaning.
struct SameMeaning {
  std::string_view op;
  std::array<std::uint8_t, 9> versions;  // then zeros
};

// clang-format off
constexpr std::array kSameMeaning = std::to_array<SameMeaning>({
    {"Abs", {6, 13}}, {"Acos", {22}}, {"Acosh", {22}}, {"Add", {6, 13, 14}},
    {"ArgMax", {11, 12, 13}}, {"ArgMin", {11, 12, 13}}, {"Asin", {22}}, {"Asinh", {22}},
    {"Atan", {22}}, {"Atanh", {22}}, {"AveragePool", {7, 10, 11, 19, 22}},
    {"BatchNormalization", {15}}, {"Bernoulli", {22}},
    {"Cast", {9, 13, 19, 21, 23, 24}}, {"CastLike", {19, 21, 23, 24}}, {"Ceil", {6, 13}},
    {"Clip", {6, 12, 13}}, {"Compress", {11}}, {"Concat", {11, 13}},
    {"Constant", {9, 11, 12, 13, 19, 21, 23, 24}}, {"ConstantOfShape", {20, 21, 23, 24}},
    {"Conv", {11, 22}}, {"ConvTranspose", {11, 22}}, {"Cos", {22}}, {"Cosh", {22}},
    {"CumSum", {14}}, {"DeformConv", {22}}, {"DepthToSpace", {11, 13}},
    {"DequantizeLinear", {13, 19, 21, 23, 24}}, {"Det", {22}}, {"Div", {6, 13, 14}},
    {"Dropout", {10, 13, 22}}, {"Elu", {6, 22}}, {"Equal", {11, 13, 19}}, {"Erf", {13}},
    {"Exp", {6, 13}}, {"Expand", {13}}, {"EyeLike", {22}}, {"Flatten", {9, 11, 13, 21, 23, 24}},
    {"Floor", {6, 13}}, {"GRU", {14, 22}}, {"Gather", {11, 13}}, {"GatherElements", {13}},
    {"GatherND", {12, 13}}, {"Gemm", {6, 9, 11, 13}}, {"GlobalAveragePool", {22}},
    {"GlobalLpPool", {2, 22}}, {"GlobalMaxPool", {22}}, {"Greater", {9, 13}},
    {"GreaterOrEqual", {16}}, {"GridSample", {22}}, {"HardSigmoid", {6, 22}}, {"HardSwish", {22}},
    {"Hardmax", {11}}, {"Identity", {13, 14, 16, 19, 21, 23, 24}},
    {"If", {11, 13, 16, 19, 21, 23, 24}}, {"InstanceNormalization", {6, 22}}, {"IsInf", {20}},
    {"IsNaN", {13, 20}}, {"LRN", {13}}, {"LSTM", {14, 22}}, {"LeakyRelu", {6, 16}},
    {"Less", {9, 13}}, {"LessOrEqual", {16}}, {"Log", {6, 13}}, {"LogSoftmax", {11}},
    {"Loop", {11, 13, 16, 19, 21, 23, 24}}, {"LpNormalization", {22}}, {"LpPool", {11, 18, 22}},
    {"MatMul", {9, 13}}, {"Max", {6, 8, 12, 13}}, {"MaxPool", {8, 10, 11, 12, 22}},
    {"MaxRoiPool", {22}}, {"MaxUnpool", {11, 22}}, {"Mean", {6, 8, 13}},
    {"MeanVarianceNormalization", {13}}, {"Min", {6, 8, 12, 13}}, {"Mish", {22}}, {"Mod", {13}},
    {"Mul", {6, 13, 14}}, {"Neg", {6, 13}}, {"NonMaxSuppression", {11}}, {"NonZero", {13}},
    {"OneHot", {11}}, {"PRelu", {6, 9, 16}}, {"Pad", {13, 18, 19, 21, 23, 24}},
    {"Pow", {12, 13, 15}}, {"QLinearMatMul", {21}}, {"QuantizeLinear", {13, 19, 21, 23, 24}},
    {"RNN", {14, 22}}, {"RandomNormal", {22}}, {"RandomNormalLike", {22}}, {"RandomUniform", {22}},
    {"RandomUniformLike", {22}}, {"Reciprocal", {6, 13}}, {"ReduceL1", {11, 13}},
    {"ReduceL2", {11, 13}}, {"ReduceLogSum", {11, 13}}, {"ReduceLogSumExp", {11, 13}},
    {"ReduceMax", {11, 12, 13, 20}}, {"ReduceMean", {11, 13}}, {"ReduceMin", {11, 12, 13, 20}},
    {"ReduceProd", {11, 13}}, {"ReduceSum", {11}}, {"ReduceSumSquare", {11, 13}},
    {"Relu", {6, 13, 14}}, {"Reshape", {13, 14, 19, 21, 23, 24}}, {"Resize", {13, 18, 19}},
    {"RoiAlign", {22}}, {"Round", {22}}, {"Scan", {11, 16, 19, 21, 23, 24}},
    {"ScatterElements", {13, 16, 18}}, {"ScatterND", {13, 16, 18}}, {"Selu", {6, 22}},
    {"Shape", {13, 15, 19, 21, 23, 24}}, {"Sigmoid", {6, 13}}, {"Sign", {13}}, {"Sin", {22}},
    {"Sinh", {22}}, {"Size", {13, 19, 21, 23, 24}}, {"Slice", {11, 13}}, {"Softmax", {11}},
    {"Softplus", {22}}, {"Softsign", {22}}, {"SpaceToDepth", {13}}, {"Split", {11}},
    {"SplitToSequence", {24}}, {"Sqrt", {6, 13}}, {"Squeeze", {11, 21, 23, 24}},
    {"Sub", {6, 13, 14}}, {"Sum", {6, 8, 13}}, {"Tan", {22}}, {"Tanh", {6, 13}},
    {"ThresholdedRelu", {22}}, {"Tile", {13}}, {"TopK", {11, 24}},
    {"Transpose", {13, 21, 23, 24}}, {"Unsqueeze", {11, 21, 23, 24}}, {"Upsample", {7}},
    {"Where", {16}},
});
// clang-format on

static_assert(std::ranges::is_sorted(kSameMeaning, {}, &SameMeaning::op));

bool keepsMeaning(std::string_view op, int version) {
  const auto found = std::ranges::lower_bound(kSameMeaning, op, {}, &SameMeaning::op);
  return found != kSameMeaning.end() && found->op == op &&
         std::ranges::find(found->versions, version) != found->versions.end();
}

Tensor numberLike(float number, ElementType element) {
  return fromFloat32(Tensor::scalar(number), element);
}

// Operators with two operands: until version 7 the second one broadcast only where an attribute
// said so, from an axis that might be named.
void broadcastByRule(NodeUpgrade& node) {
  node.drop("broadcast");
  if (node.take("axis")) node.refuse(7, "its operands are matched from an axis on");
}

void axesToInput(NodeUpgrade& node) {
  node.integersToInput("axes", 1);
}

void boundsToInputs(NodeUpgrade& node) {
  const ElementType element = node.element(0);
  if (const auto low = node.takeAs<float>("min")) {
    node.setInput(1, numberLike(*low, element), "min");
  }
  if (const auto high = node.takeAs<float>("max")) {
    node.setInput(2, numberLike(*high, element), "max");
  }
}

void padsToInputs(NodeUpgrade& node) {
  const ElementType element = node.element(0);
  node.integersToInput("pads", 1);
  if (const auto value = node.takeAs<float>("value")) {
    node.setInput(2, numberLike(*value, element), "value");
  }
}

void slicesToInputs(NodeUpgrade& node) {
  node.integersToInput("starts", 1);
  node.integersToInput("ends", 2);
  node.integersToInput("axes", 3);
}

void countToInput(NodeUpgrade& node) {
  if (const auto count = node.takeAs<std::int64_t>("k")) {
    node.setInput(1, Tensor::of<std::int64_t>(Shape{1}, {*count}), "k");
  }
}

void shapeToInput(NodeUpgrade& node) {
  node.integersToInput("shape", 1);
}

void ratioToInput(NodeUpgrade& node) {
  if (const auto ratio = node.takeAs<float>("ratio")) {
    node.setInput(1, Tensor::scalar(*ratio), "ratio");
  }
}

void splitToInput(NodeUpgrade& node) {
  node.integersToInput("split", 1);
}

void countOutputs(NodeUpgrade& node) {
  if (node.node().inputs.size() > 1 && node.node().inputs[1].valid()) return;
  node.set("num_outputs", static_cast<std::int64_t>(node.node().outputs.size()));
}

// Until version 13 the axes from `axis` on were one; now it is the only one.
void softmaxOverOneAxis(NodeUpgrade& node) {
  const std::int64_t axis = node.node().integer("axis", 1);
  const auto rank = node.rank(0);
  if (axis == -1 || (rank && axis == static_cast<std::int64_t>(*rank) - 1)) {
    node.set("axis", std::int64_t{-1});
    return;
  }
  const ValueType shape{.element = ElementType::Int64, .shape = std::nullopt};
  const ValueId extents = node.addNode("Shape", 13, node.node().inputs.at(0), "shape", shape);
  node.insertBefore("Flatten", 13, {{"axis", axis}}, "flatten");
  node.set("axis", std::int64_t{-1});
  node.appendBehind("Reshape", 13, extents);
}

void dropTraining(NodeUpgrade& node) {
  node.drop("is_test");
}

void onlySpatial(NodeUpgrade& node) {
  if (node.takeAs<std::int64_t>("spatial") == 0) {
    node.refuse(9, "its statistics are not per channel");
  }
}

void oneOutput(NodeUpgrade& node) {
  const std::vector<ValueId>& outputs = node.node().outputs;
  if (std::any_of(outputs.begin() + 1, outputs.end(), std::mem_fn(&ValueId::valid))) {
    node.refuse(14, "it gives the statistics of training");
  }
  node.drop("momentum");
}

void scalesToInput(NodeUpgrade& node) {
  const auto scales = node.takeAs<std::vector<float>>("scales");
  if (!scales) node.refuse(9, "it has no scales");
  const Shape shape{static_cast<std::int64_t>(scales->size())};
  node.setInput(1, Tensor::of(shape, std::span<const float>(*scales)), "scales");
}

void upsampleToResize(NodeUpgrade& node) {
  node.setOperator("Resize");
}

// The grid of points that the first Resize had, and a region that nothing reads.
void resizeWithModes(NodeUpgrade& node) {
  node.moveInput(1, 2);
  node.setInput(1, Tensor(ElementType::Float32, Shape{0}), "roi");
  node.set("coordinate_transformation_mode", std::string("asymmetric"));
  if (node.node().text("mode", "nearest") == "nearest") {
    node.set("nearest_mode", std::string("floor"));
  }
}

void scatterElements(NodeUpgrade& node) {
  node.setOperator("ScatterElements");
}

void roiFromCorners(NodeUpgrade& node) {
  node.set("coordinate_transformation_mode", std::string("output_half_pixel"));
}

void newModeNames(NodeUpgrade& node) {
  const std::string mode = node.node().text("mode", "bilinear");
  node.set("mode", mode == "bilinear"  ? std::string("linear")
                   : mode == "bicubic" ? std::string("cubic")
                                       : mode);
}

void axisWrittenOut(NodeUpgrade& node) {
  if (!node.node().has("axis")) node.set("axis", std::int64_t{1});
}

void slopePerChannel(NodeUpgrade& node) {
  const Tensor* slope = node.constant(1);
  if (slope != nullptr && slope->elementCount() == 1) return;
  const auto rank = node.rank(0);
  if (slope == nullptr || !rank || *rank < 2) node.refuse(7, "the shape of its slope is not known");
  Shape shape = Shape::filled(*rank - 1, 1);
  shape[0] = static_cast<std::int64_t>(slope->elementCount());
  node.setInput(1, slope->reshaped(shape), "slope");
}

void dropSequenceOutput(NodeUpgrade& node) {
  node.drop("output_sequence");
}

struct Change {
  std::string_view op;
  int version;
  void (*apply)(NodeUpgrade& node);
};

constexpr std::array kChanges = std::to_array<Change>({
    {"Add", 7, broadcastByRule},
    {"And", 7, broadcastByRule},
    {"BatchNormalization", 6, dropTraining},
    {"BatchNormalization", 7, dropTraining},
    {"BatchNormalization", 9, onlySpatial},
    {"BatchNormalization", 14, oneOutput},
    {"Clip", 11, boundsToInputs},
    {"Concat", 4, axisWrittenOut},
    {"Div", 7, broadcastByRule},
    {"Dropout", 6, dropTraining},
    {"Dropout", 7, dropTraining},
    {"Dropout", 12, ratioToInput},
    {"Equal", 7, broadcastByRule},
    {"GRU", 7, dropSequenceOutput},
    {"Gemm", 7, broadcastByRule},
    {"Greater", 7, broadcastByRule},
    {"GridSample", 20, newModeNames},
    {"Hardmax", 13, softmaxOverOneAxis},
    {"LSTM", 7, dropSequenceOutput},
    {"Less", 7, broadcastByRule},
    {"LogSoftmax", 13, softmaxOverOneAxis},
    {"Mul", 7, broadcastByRule},
    {"Or", 7, broadcastByRule},
    {"PRelu", 7, slopePerChannel},
    {"Pad", 11, padsToInputs},
    {"Pow", 7, broadcastByRule},
    {"RNN", 7, dropSequenceOutput},
    {"ReduceL1", 18, axesToInput},
    {"ReduceL2", 18, axesToInput},
    {"ReduceLogSum", 18, axesToInput},
    {"ReduceLogSumExp", 18, axesToInput},
    {"ReduceMax", 18, axesToInput},
    {"ReduceMean", 18, axesToInput},
    {"ReduceMin", 18, axesToInput},
    {"ReduceProd", 18, axesToInput},
    {"ReduceSum", 13, axesToInput},
    {"ReduceSumSquare", 18, axesToInput},
    {"Reshape", 5, shapeToInput},
    {"Resize", 11, resizeWithModes},
    {"RoiAlign", 16, roiFromCorners},
    {"Scatter", 11, scatterElements},
    {"Slice", 10, slicesToInputs},
    {"Softmax", 13, softmaxOverOneAxis},
    {"Split", 13, splitToInput},
    {"Split", 18, countOutputs},
    {"Squeeze", 13, axesToInput},
    {"Sub", 7, broadcastByRule},
    {"TopK", 10, countToInput},
    {"Unsqueeze", 13, axesToInput},
    {"Upsample", 9, scalesToInput},
    {"Upsample", 10, upsampleToResize},
    {"Xor", 7, broadcastByRule},
});

}  // namespace

bool upgradeStep(NodeUpgrade& upgrade, int version) {
  upgrade.drop("consumed_inputs");
  const std::string op = upgrade.node().op;
  const auto change = std::ranges::find_if(
      kChanges, [&](const Change& known) { return known.op == op && known.version == version; });
  if (change != kChanges.end()) {
    change->apply(upgrade);
    return true;
  }
  return keepsMeaning(op, version);
}

}  // namespace quantscope
