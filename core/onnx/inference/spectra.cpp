#include <array>

#include "onnx/inference/dimensions.h"
#include "onnx/inference/rules.h"
#include "tensor/shape.h"

namespace quantscope::inference {
namespace {

// Signal [batch, length, …, 1 or 2]; the result is complex, with both parts on the last axis.
void fourierTransform(Context& context) {
  const Node& node = context.node();
  const Dimensions* shape = context.shape(0);
  context.setOutput(0, context.element(0));
  const std::optional<std::int64_t> axis =
      node.version >= 20 ? context.integer({}, 2, -2) : node.integer("axis", 1);
  if (shape == nullptr || shape->size() < 2 || !axis) return;
  Dimensions result = *shape;
  Dimension& extent = result[normalizeAxis(*axis, shape->size())];
  if (context.hasInput(1)) {
    const std::optional<std::int64_t> length = context.integer({}, 1, 0);
    extent = length ? known(*length) : unknown();
  }
  if (node.integer("onesided", 0) != 0) {
    extent = extent.known() ? known(extent.extent / 2 + 1) : unknown();
  }
  result.back() = known(2);
  context.setOutput(0, context.element(0), std::move(result));
}

// [batch, frames, bins, 2]
void shortTimeFourierTransform(Context& context) {
  Dimensions result = unknownShape(4);
  const Dimensions* signal = context.shape(0);
  const Dimensions* window = context.shape(2);
  std::optional<std::int64_t> length = context.integer({}, 3, -1);
  if (!context.hasInput(3) && window != nullptr && window->size() == 1) {
    length = window->front().extent;
  }
  const std::optional<std::int64_t> step = context.integer({}, 1, -1);
  const bool isOneSided = context.node().integer("onesided", 1) != 0;
  result[3] = known(2);
  if (length && *length > 0) result[2] = known(isOneSided ? *length / 2 + 1 : *length);
  if (signal != nullptr && signal->size() > 1) {
    result[0] = (*signal)[0];
    const std::int64_t room = (*signal)[1].extent - length.value_or(-1);
    const bool fits = (*signal)[1].known() && length && *length > 0 && room >= 0;
    if (fits && step && *step > 0) result[1] = known(room / *step + 1);
  }
  context.setOutput(0, context.element(0), std::move(result));
}

void window(Context& context) {
  const std::optional<double> size = scalar(context, 0);
  context.setOutput(0, attributeType(context, "output_datatype", ElementType::Float32),
                    Dimensions{size ? known(toInteger(*size)) : unknown()});
}

void melWeights(Context& context) {
  const std::optional<double> bins = scalar(context, 0);
  const std::optional<double> length = scalar(context, 1);
  context.setOutput(0, attributeType(context, "output_datatype", ElementType::Float32),
                    Dimensions{length ? known(toInteger(*length) / 2 + 1) : unknown(),
                               bins ? known(toInteger(*bins)) : unknown()});
}

constexpr std::array kSpectraRules = std::to_array<RuleEntry>({
    {"BlackmanWindow", window},
    {"DFT", fourierTransform},
    {"HammingWindow", window},
    {"HannWindow", window},
    {"MelWeightMatrix", melWeights},
    {"STFT", shortTimeFourierTransform},
});

}  // namespace

std::span<const RuleEntry> spectralRules() {
  return kSpectraRules;
}

}  // namespace quantscope::inference
