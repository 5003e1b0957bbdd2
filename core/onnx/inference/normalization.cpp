#include <algorithm>
#include <array>

#include "onnx/inference/dimensions.h"
#include "onnx/inference/rules.h"

namespace quantscope::inference {
namespace {

// Up to version 13 the further outputs were statistics of the same length each; from version 14 on
// the running mean and variance.
void batchNormalization(Context& context) {
  sameAsInput(context);
  for (std::size_t i = 1; i < context.outputCount(); ++i) {
    const std::size_t like = i % 2 == 1 ? 3 : 4;
    context.setOutput(i, context.element(like), copyOf(context.shape(like)));
  }
}

// Mean and inverse deviation over the axes from `axis` on.
void layerNormalization(Context& context) {
  sameAsInput(context);
  const std::optional<ElementType> stash = elementTypeOf(context.node().integer("stash_type", 1));
  std::optional<Dimensions> statistics = copyOf(context.shape(0));
  if (statistics) {
    const std::size_t axis = context.axis(-1, statistics->size());
    std::fill(statistics->begin() + static_cast<std::ptrdiff_t>(axis), statistics->end(), known(1));
  }
  context.setOutput(1, stash, statistics);
  context.setOutput(2, stash, statistics);
}

constexpr std::array kNormalizationRules = std::to_array<RuleEntry>({
    {"BatchNormalization", batchNormalization},
    {"GroupNormalization", sameAsInput},
    {"Hardmax", sameAsInput},
    {"InstanceNormalization", sameAsInput},
    {"LRN", sameAsInput},
    {"LayerNormalization", layerNormalization},
    {"LogSoftmax", sameAsInput},
    {"LpNormalization", sameAsInput},
    {"MeanVarianceNormalization", sameAsInput},
    {"RMSNormalization", sameAsInput},
    {"RotaryEmbedding", sameAsInput},
    {"Softmax", sameAsInput},
});

}  // namespace

std::span<const RuleEntry> normalizationRules() {
  return kNormalizationRules;
}

}  // namespace quantscope::inference
