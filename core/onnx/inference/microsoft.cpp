// The operators of com.microsoft that stand in quantized models.
#include <array>

#include "onnx/inference/dimensions.h"
#include "onnx/inference/rules.h"

namespace quantscope::inference {
namespace {

void combine(Context& context) {
  context.setOutput(0, context.element(0), broadcast(context.shape(0), context.shape(3)));
}

// Scale and zero point of the result, then codes, scale and zero point of each operand.
void concatenate(Context& context) {
  const Dimensions* first = context.shape(2);
  context.setOutput(0, context.element(2));
  if (first == nullptr) return;
  const std::size_t axis = context.axis(0, first->size());
  Dimensions result = *first;
  for (std::size_t i = 5; i < context.inputCount(); i += 3) {
    const Dimensions* shape = context.shape(i);
    if (shape != nullptr && shape->size() != result.size()) return;
    const bool certain = shape != nullptr && (*shape)[axis].known() && result[axis].known();
    result[axis] = certain ? known(result[axis].extent + (*shape)[axis].extent) : unknown();
  }
  context.setOutput(0, context.element(2), std::move(result));
}

// Infers like the ONNX operator if the channels are on ONNX's axis.
void quantizedPool(Context& context) {
  context.setOutput(0, context.element(0));
  if (context.node().integer("channels_last", 0) != 0) return;
  findRule(context.node().op == "QLinearAveragePool" ? "AveragePool"
                                                     : "GlobalAveragePool")(context);
}

void quantizedGemm(Context& context) {
  const Dimensions* a = context.shape(0);
  const Dimensions* b = context.shape(3);
  Dimensions result = unknownShape(2);
  if (a != nullptr && a->size() == 2) {
    result[0] = (*a)[context.node().integer("transA", 0) != 0 ? 1 : 0];
  }
  if (b != nullptr && b->size() == 2) {
    result[1] = (*b)[context.node().integer("transB", 0) != 0 ? 0 : 1];
  }
  context.setOutput(0, context.hasInput(8) ? context.element(8) : ElementType::Float32,
                    std::move(result));
}

void multiplyToFloat(Context& context) {
  findRule("MatMulInteger")(context);
  context.setOutput(0, ElementType::Float32, context.output(0).shape);
}

void quantizeAnyType(Context& context) {
  findRule(context.node().op)(context);
}

constexpr std::array kMicrosoftRules = std::to_array<RuleEntry>({
    {"DequantizeLinear", quantizeAnyType},
    {"DynamicQuantizeMatMul", multiplyToFloat},
    {"MatMulIntegerToFloat", multiplyToFloat},
    {"QGemm", quantizedGemm},
    {"QLinearAdd", combine},
    {"QLinearAveragePool", quantizedPool},
    {"QLinearConcat", concatenate},
    {"QLinearGlobalAveragePool", quantizedPool},
    {"QLinearLeakyRelu", sameAsInput},
    {"QLinearMul", combine},
    {"QLinearSigmoid", sameAsInput},
    {"QuantizeLinear", quantizeAnyType},
});

}  // namespace

std::span<const RuleEntry> microsoftRules() {
  return kMicrosoftRules;
}

}  // namespace quantscope::inference
