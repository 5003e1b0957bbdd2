#include "engine/applied_quantization.h"

#include <algorithm>

namespace quantscope {

bool sameEffect(const NodeQuantization& a, const NodeQuantization& b) {
  const auto sameConstant = [](const auto& x, const auto& y) {
    return x.first == y.first &&
           (x.second.sharesElementsWith(y.second) || identical(x.second, y.second));
  };
  return a.bypassed == b.bypassed && a.factors == b.factors && a.inputs == b.inputs &&
         a.outputs == b.outputs && std::ranges::equal(a.constants, b.constants, sameConstant);
}

QuantizationChanges changesBetween(const AppliedQuantization& from, const AppliedQuantization& to) {
  QuantizationChanges changes;
  for (std::size_t i = 0; i < to.nodes.size(); ++i) {
    if (!sameEffect(from.nodes[i], to.nodes[i])) changes.emplace_back(NodeId(i), to.nodes[i]);
  }
  return changes;
}

}  // namespace quantscope
