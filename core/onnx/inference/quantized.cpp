#include <array>

#include "onnx/inference/dimensions.h"
#include "onnx/inference/rules.h"

namespace quantscope::inference {
namespace {

// The type of the zero point; without one uint8, or the attribute's type from version 21 on.
void quantize(Context& context) {
  std::optional<ElementType> element = ElementType::UInt8;
  const std::int64_t wanted = context.node().integer("output_dtype", 0);
  if (context.hasInput(2)) {
    element = context.element(2);
  } else if (wanted != 0) {
    element = elementTypeOf(wanted);
  }
  context.setOutput(0, element, copyOf(context.shape(0)));
}

void dequantize(Context& context) {
  const std::int64_t wanted = context.node().integer("output_dtype", 0);
  const std::optional<ElementType> scale =
      context.element(1) ? context.element(1) : ElementType::Float32;
  context.setOutput(0, wanted != 0 ? elementTypeOf(wanted) : scale, copyOf(context.shape(0)));
}

void quantizeDynamically(Context& context) {
  context.setOutput(0, ElementType::UInt8, copyOf(context.shape(0)));
  context.setOutput(1, ElementType::Float32, Dimensions());
  context.setOutput(2, ElementType::UInt8, Dimensions());
}

constexpr std::array kQuantizedRules = std::to_array<RuleEntry>({
    {"DequantizeLinear", dequantize},
    {"DynamicQuantizeLinear", quantizeDynamically},
    {"QuantizeLinear", quantize},
});

}  // namespace

std::span<const RuleEntry> quantizedRules() {
  return kQuantizedRules;
}

}  // namespace quantscope::inference
