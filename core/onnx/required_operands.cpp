#include "onnx/required_operands.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "onnx/names.h"
#include "onnx/operator_versions.h"

namespace quantscope {
namespace {

struct Required {
  std::string_view op;
  std::size_t inputs;
};

// The inputs from the first one on that every version of an operator needs. Those that are not
// listed need one. Source: Operators.md and Changelog.md of ONNX.
constexpr std::array kRequired = std::to_array<Required>({
    {"Add", 2},
    {"AffineGrid", 2},
    {"And", 2},
    {"Attention", 3},
    {"BatchNormalization", 5},
    {"BitShift", 2},
    {"BitwiseAnd", 2},
    {"BitwiseOr", 2},
    {"BitwiseXor", 2},
    {"CastLike", 2},
    {"CenterCropPad", 2},
    {"Col2Im", 3},
    {"Compress", 2},
    {"Constant", 0},
    {"Conv", 2},
    {"ConvInteger", 2},
    {"ConvTranspose", 2},
    {"CumSum", 2},
    {"DeformConv", 3},
    {"DequantizeLinear", 2},
    {"Div", 2},
    {"Equal", 2},
    {"Expand", 2},
    {"GRU", 3},
    {"Gather", 2},
    {"GatherElements", 2},
    {"GatherND", 2},
    {"Gemm", 2},
    {"Greater", 2},
    {"GreaterOrEqual", 2},
    {"GridSample", 2},
    {"GroupNormalization", 3},
    {"InstanceNormalization", 3},
    {"LSTM", 3},
    {"LayerNormalization", 2},
    {"Less", 2},
    {"LessOrEqual", 2},
    {"Loop", 0},
    {"MatMul", 2},
    {"MatMulInteger", 2},
    {"MaxRoiPool", 2},
    {"MaxUnpool", 2},
    {"MelWeightMatrix", 5},
    {"Mod", 2},
    {"Mul", 2},
    {"NegativeLogLikelihoodLoss", 2},
    {"NonMaxSuppression", 2},
    {"OneHot", 3},
    {"Optional", 0},
    {"Or", 2},
    {"PRelu", 2},
    {"Pow", 2},
    {"QLinearConv", 8},
    {"QLinearMatMul", 8},
    {"QuantizeLinear", 2},
    {"RMSNormalization", 2},
    {"RNN", 3},
    {"RandomNormal", 0},
    {"RandomUniform", 0},
    {"Range", 3},
    {"ReverseSequence", 2},
    {"RoiAlign", 3},
    {"RotaryEmbedding", 3},
    {"STFT", 2},
    {"Scan", 0},
    {"Scatter", 3},
    {"ScatterElements", 3},
    {"ScatterND", 3},
    {"SequenceAt", 2},
    {"SequenceEmpty", 0},
    {"SequenceInsert", 2},
    {"SoftmaxCrossEntropyLoss", 2},
    {"Sub", 2},
    {"TensorScatter", 2},
    {"Tile", 2},
    {"Where", 3},
    {"Xor", 2},
});
static_assert(std::ranges::is_sorted(kRequired, {}, &Required::op));

std::size_t requiredInputs(const Node& node) {
  // Operators of com.microsoft with other inputs than their namesakes in ai.onnx.
  constexpr std::array kOthers = std::to_array<std::string_view>({"Attention", "Range"});
  const bool other = std::ranges::find(kOthers, node.op) != kOthers.end();
  const auto entry = std::ranges::lower_bound(kRequired, node.op, {}, &Required::op);
  if (entry == kRequired.end() || entry->op != node.op) return 1;
  return other && !node.domain.empty() ? 1 : entry->inputs;
}

// True for a name of any opset and any domain: nodes are often identified by the operator's name
// alone.
bool isKnownName(const Node& node) {
  return operatorVersion("", node.op, kNewestKnownOpset) > 0 ||
         operatorVersion(node.domain, node.op, kNewestKnownOpset) > 0;
}

[[noreturn]] void throwMissing(const Node& node, const std::string& what) {
  throw Error(ErrorCode::InvalidModel, "the operator " + node.op + " has no " + what,
              {.file = {}, .node = node.name, .value = {}}, kExportAgain);
}

}  // namespace

void requireOperands(const Node& node) {
  if (!isKnownName(node)) return;
  for (std::size_t i = 0; i < requiredInputs(node); ++i) {
    if (i >= node.inputs.size() || !node.inputs[i].valid()) {
      throwMissing(node, "input " + std::to_string(i) + ", which it needs");
    }
  }
  if (std::ranges::none_of(node.outputs, &ValueId::valid)) throwMissing(node, "output");
}

}  // namespace quantscope
