#include "engine/half_values.h"

#include <algorithm>

#include "graph/operator_traits.h"
#include "tensor/half.h"

namespace quantscope {
namespace {

void roundToBFloat16(std::span<const float> x, std::span<float> y) {
  std::ranges::transform(x, y.begin(), [](float value) { return toFloat(toBFloat16(value)); });
}

}  // namespace

const ElementMap& roundingTo(ElementType half) {
  static const ElementMap toFloat16Numbers = roundToFloat16;
  static const ElementMap toBFloat16Numbers = roundToBFloat16;
  return half == ElementType::Float16 ? toFloat16Numbers : toBFloat16Numbers;
}

bool movesHalfTypes(const Node& node) {
  return node.domain.empty() && operatorTraits(node).movesHalfTypes;
}

}  // namespace quantscope
