#include <array>
#include <map>

#include "onnx/inference/dimensions.h"
#include "onnx/inference/folding.h"
#include "onnx/inference/rules.h"

namespace quantscope::inference {
namespace {

void unary(Context& context) {
  sameAsInput(context);
  foldElementwise(context);
}

void unaryTest(Context& context) {
  context.setOutput(0, ElementType::Bool, copyOf(context.shape(0)));
}

// Before version 7 the second operand was stretched to the first one's shape.
std::optional<Dimensions> binaryShape(const Context& context) {
  if (context.node().version < 7 && context.node().has("broadcast")) {
    return copyOf(context.shape(0));
  }
  return broadcastInputs(context, 0, context.inputCount());
}

void arithmetic(Context& context) {
  std::optional<ElementType> element = context.element(0);
  if (!element && context.node().op != "Pow" && context.node().op != "BitShift") {
    element = context.element(1);
  }
  context.setOutput(0, element, binaryShape(context));
  foldElementwise(context);
}

void comparison(Context& context) {
  context.setOutput(0, ElementType::Bool, binaryShape(context));
  foldElementwise(context);
}

void where(Context& context) {
  const std::optional<ElementType> element =
      context.element(1) ? context.element(1) : context.element(2);
  context.setOutput(0, element, broadcastInputs(context, 0, 3));
  foldElementwise(context);
}

// The first version named the type in words.
std::optional<ElementType> namedType(const std::string& text) {
  static const std::map<std::string, ElementType> kNames = {
      {"FLOAT", ElementType::Float32},   {"DOUBLE", ElementType::Float64},
      {"FLOAT16", ElementType::Float16}, {"INT8", ElementType::Int8},
      {"UINT8", ElementType::UInt8},     {"INT16", ElementType::Int16},
      {"UINT16", ElementType::UInt16},   {"INT32", ElementType::Int32},
      {"UINT32", ElementType::UInt32},   {"INT64", ElementType::Int64},
      {"UINT64", ElementType::UInt64},   {"BOOL", ElementType::Bool}};
  const auto found = kNames.find(text);
  if (found == kNames.end()) return std::nullopt;
  return found->second;
}

void cast(Context& context) {
  const Node& node = context.node();
  const std::optional<ElementType> element =
      node.version < 6 ? namedType(node.text("to", "")) : elementTypeOf(node.integer("to", 0));
  context.setOutput(0, element, copyOf(context.shape(0)));
  foldElementwise(context);
}

void castLike(Context& context) {
  context.setOutput(0, context.element(1), copyOf(context.shape(0)));
}

// The mask became boolean with version 10.
void dropout(Context& context) {
  sameAsInput(context);
  const bool isBoolean = context.node().version >= 10;
  context.setOutput(1, isBoolean ? ElementType::Bool : context.element(0),
                    copyOf(context.shape(0)));
}

constexpr std::array kElementwiseRules = std::to_array<RuleEntry>({
    {"Abs", unary},
    {"Acos", sameAsInput},
    {"Acosh", sameAsInput},
    {"Add", arithmetic},
    {"Affine", sameAsInput},
    {"And", comparison},
    {"Asin", sameAsInput},
    {"Asinh", sameAsInput},
    {"Atan", sameAsInput},
    {"Atanh", sameAsInput},
    {"BitShift", arithmetic},
    {"BitwiseAnd", arithmetic},
    {"BitwiseNot", sameAsInput},
    {"BitwiseOr", arithmetic},
    {"BitwiseXor", arithmetic},
    {"Cast", cast},
    {"CastLike", castLike},
    {"Ceil", unary},
    {"Celu", sameAsInput},
    {"Clip", sameAsInput},
    {"Cos", sameAsInput},
    {"Cosh", sameAsInput},
    {"Div", arithmetic},
    {"Dropout", dropout},
    {"Elu", sameAsInput},
    {"Equal", comparison},
    {"Erf", sameAsInput},
    {"Exp", sameAsInput},
    {"Floor", unary},
    {"Gelu", sameAsInput},
    {"Greater", comparison},
    {"GreaterOrEqual", comparison},
    {"HardSigmoid", sameAsInput},
    {"HardSwish", sameAsInput},
    {"Identity", unary},
    {"ImageScaler", sameAsInput},
    {"IsInf", unaryTest},
    {"IsNaN", unaryTest},
    {"LeakyRelu", sameAsInput},
    {"Less", comparison},
    {"LessOrEqual", comparison},
    {"Log", sameAsInput},
    {"Max", arithmetic},
    {"Mean", arithmetic},
    {"Min", arithmetic},
    {"Mish", sameAsInput},
    {"Mod", arithmetic},
    {"Mul", arithmetic},
    {"Neg", unary},
    {"Not", unary},
    {"Or", comparison},
    {"PRelu", sameAsInput},
    {"ParametricSoftplus", sameAsInput},
    {"Pow", arithmetic},
    {"Reciprocal", sameAsInput},
    {"Relu", sameAsInput},
    {"Round", unary},
    {"Scale", sameAsInput},
    {"ScaledTanh", sameAsInput},
    {"Selu", sameAsInput},
    {"Shrink", sameAsInput},
    {"Sigmoid", sameAsInput},
    {"Sign", sameAsInput},
    {"Sin", sameAsInput},
    {"Sinh", sameAsInput},
    {"Softplus", sameAsInput},
    {"Softsign", sameAsInput},
    {"Sqrt", unary},
    {"Sub", arithmetic},
    {"Sum", arithmetic},
    {"Swish", sameAsInput},
    {"Tan", sameAsInput},
    {"Tanh", sameAsInput},
    {"ThresholdedRelu", sameAsInput},
    {"Where", where},
    {"Xor", comparison},
});

}  // namespace

std::span<const RuleEntry> elementwiseRules() {
  return kElementwiseRules;
}

void sameAsInput(Context& context) {
  context.setOutput(0, context.element(0), copyOf(context.shape(0)));
}

}  // namespace quantscope::inference
