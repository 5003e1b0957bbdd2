// Operators whose outputs do not change when their inputs change a little, or are no real numbers.

#include "engine/gradients/gradient_registry.h"

namespace quantscope {
namespace {

class VanishingGradient final : public Gradient {
 public:
  void run(const GradientCall& /*call*/, std::span<Tensor> /*results*/) const override {}
  bool readsInput(std::size_t /*index*/, Wanted /*wanted*/) const override { return false; }
  bool readsShape(std::size_t /*index*/) const override { return false; }
  bool vanishes() const override { return true; }
};

std::unique_ptr<Gradient> makeVanishing(const Node& /*node*/, const Graph& /*graph*/) {
  return std::make_unique<VanishingGradient>();
}

}  // namespace

void registerVanishingGradients(GradientRegistry& registry) {
  for (const char* op : {"Shape",
                         "Size",
                         "ConstantOfShape",
                         "Constant",
                         "Range",
                         "Equal",
                         "Less",
                         "LessOrEqual",
                         "Greater",
                         "GreaterOrEqual",
                         "And",
                         "Or",
                         "Xor",
                         "Not",
                         "BitwiseAnd",
                         "BitwiseOr",
                         "BitwiseXor",
                         "BitwiseNot",
                         "BitShift",
                         "ArgMax",
                         "ArgMin",
                         "NonZero",
                         "NonMaxSuppression",
                         "Unique",
                         "OneHot",
                         "EyeLike",
                         "IsNaN",
                         "IsInf",
                         "Sign",
                         "Floor",
                         "Ceil",
                         "Round",
                         "Hardmax",
                         "MelWeightMatrix"}) {
    registry.add(op, makeVanishing);
  }
}

}  // namespace quantscope
