// Operators on each element by itself: dx = dy · f'(x), f' from the input or, where that is
// simpler, from the output.

#include <cmath>
#include <numbers>
#include <type_traits>

#include "engine/gradients/cotangents.h"
#include "engine/gradients/gradient_registry.h"

namespace quantscope {
namespace {

enum class Reads { Input, Output, Nothing };

template <class Slope>
class ElementwiseGradient final : public Gradient {
 public:
  explicit ElementwiseGradient(const Slope& slope) : m_slope(slope) {}

  bool readsInput(std::size_t /*index*/, Wanted /*wanted*/) const override {
    return Slope::kReads == Reads::Input;
  }
  bool readsOutput(std::size_t index) const override {
    return Slope::kReads == Reads::Output && index == 0;
  }
  bool readsShape(std::size_t /*index*/) const override { return false; }

  void run(const GradientCall& call, std::span<Tensor> results) const override {
    if (call.wanted[0] == 0 || !call.cotangents[0].defined()) return;
    const Tensor& dy = call.cotangents[0];
    const Tensor& at = Slope::kReads == Reads::Input    ? call.inputs[0]
                       : Slope::kReads == Reads::Output ? call.outputs[0]
                                                        : dy;
    results[0] = visitRealType(dy.type(), [&]<class T>() {
      return mapPairs<T>(dy, at, [slope = m_slope](T g, T value) { return g * slope(value); });
    });
  }

 private:
  Slope m_slope;
};

template <class Slope>
std::unique_ptr<Gradient> makeElementwise(const Node& node, const Graph& /*graph*/) {
  if constexpr (std::is_constructible_v<Slope, const Node&>) {
    return std::make_unique<ElementwiseGradient<Slope>>(Slope(node));
  } else {
    return std::make_unique<ElementwiseGradient<Slope>>(Slope{});
  }
}

template <class T>
T logisticOf(T x) {
  return 1 / (1 + std::exp(-x));
}

struct ReluSlope {
  static constexpr Reads kReads = Reads::Output;
  template <class T>
  T operator()(T y) const {
    return y > 0 ? T{1} : T{0};
  }
};

struct LeakyReluSlope {
  static constexpr Reads kReads = Reads::Input;
  explicit LeakyReluSlope(const Node& node) : alpha(node.real("alpha", 0.01F)) {}
  template <class T>
  T operator()(T x) const {
    return x < 0 ? static_cast<T>(alpha) : T{1};
  }
  float alpha;
};

struct ThresholdedReluSlope {
  static constexpr Reads kReads = Reads::Input;
  explicit ThresholdedReluSlope(const Node& node) : alpha(node.real("alpha", 1.0F)) {}
  template <class T>
  T operator()(T x) const {
    return x > static_cast<T>(alpha) ? T{1} : T{0};
  }
  float alpha;
};

struct HardSigmoidSlope {
  static constexpr Reads kReads = Reads::Input;
  explicit HardSigmoidSlope(const Node& node)
      : alpha(node.real("alpha", 0.2F)), beta(node.real("beta", 0.5F)) {}
  template <class T>
  T operator()(T x) const {
    const T y = static_cast<T>(alpha) * x + static_cast<T>(beta);
    return y > 0 && y < 1 ? static_cast<T>(alpha) : T{0};
  }
  float alpha;
  float beta;
};

struct HardSwishSlope {
  static constexpr Reads kReads = Reads::Input;
  template <class T>
  T operator()(T x) const {
    if (x <= -3) return T{0};
    return x >= 3 ? T{1} : (2 * x + 3) / 6;
  }
};

struct ShrinkSlope {
  static constexpr Reads kReads = Reads::Input;
  explicit ShrinkSlope(const Node& node) : threshold(node.real("lambd", 0.5F)) {}
  template <class T>
  T operator()(T x) const {
    return std::abs(x) > static_cast<T>(threshold) ? T{1} : T{0};
  }
  float threshold;
};

struct SoftsignSlope {
  static constexpr Reads kReads = Reads::Input;
  template <class T>
  T operator()(T x) const {
    const T divisor = 1 + std::abs(x);
    return 1 / (divisor * divisor);
  }
};

struct SigmoidSlope {
  static constexpr Reads kReads = Reads::Output;
  template <class T>
  T operator()(T y) const {
    return y * (1 - y);
  }
};

struct TanhSlope {
  static constexpr Reads kReads = Reads::Output;
  template <class T>
  T operator()(T y) const {
    return 1 - y * y;
  }
};

struct ExpSlope {
  static constexpr Reads kReads = Reads::Output;
  template <class T>
  T operator()(T y) const {
    return y;
  }
};

struct LogSlope {
  static constexpr Reads kReads = Reads::Input;
  template <class T>
  T operator()(T x) const {
    return 1 / x;
  }
};

// 0 at the origin, where a magnitude has no direction: infinity times the 0 that comes before it
// would be no number.
struct SqrtSlope {
  static constexpr Reads kReads = Reads::Output;
  template <class T>
  T operator()(T y) const {
    return y == 0 ? T{0} : T{0.5} / y;
  }
};

struct ReciprocalSlope {
  static constexpr Reads kReads = Reads::Output;
  template <class T>
  T operator()(T y) const {
    return -y * y;
  }
};

struct NegSlope {
  static constexpr Reads kReads = Reads::Nothing;
  template <class T>
  T operator()(T) const {
    return T{-1};
  }
};

struct AbsSlope {
  static constexpr Reads kReads = Reads::Input;
  template <class T>
  T operator()(T x) const {
    return x > 0 ? T{1} : (x < 0 ? T{-1} : T{0});
  }
};

struct ErfSlope {
  static constexpr Reads kReads = Reads::Input;
  template <class T>
  T operator()(T x) const {
    return 2 * std::numbers::inv_sqrtpi_v<T> * std::exp(-x * x);
  }
};

struct SoftplusSlope {
  static constexpr Reads kReads = Reads::Input;
  template <class T>
  T operator()(T x) const {
    return logisticOf(x);
  }
};

// x·tanh(softplus(x))
struct MishSlope {
  static constexpr Reads kReads = Reads::Input;
  template <class T>
  T operator()(T x) const {
    const T soft = std::max(x, T{0}) + std::log1p(std::exp(-std::abs(x)));
    const T bend = std::tanh(soft);
    return bend + x * (1 - bend * bend) * logisticOf(x);
  }
};

// x·Φ(x), or its approximation by tanh.
struct GeluSlope {
  static constexpr Reads kReads = Reads::Input;
  explicit GeluSlope(const Node& node) : byTanh(node.text("approximate", "none") == "tanh") {}
  template <class T>
  T operator()(T x) const {
    constexpr T kRoot = std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>;
    if (byTanh) {
      const T factor = static_cast<T>(0.044715);
      const T bend = std::tanh(kRoot * (x + factor * x * x * x));
      return (1 + bend) / 2 + x / 2 * (1 - bend * bend) * kRoot * (1 + 3 * factor * x * x);
    }
    return (1 + std::erf(x / std::numbers::sqrt2_v<T>)) / 2 + x * kRoot / 2 * std::exp(-x * x / 2);
  }
  bool byTanh;
};

// positive·x above 0, negative·(exp(argument·x) − 1) below.
struct ExponentialUnitSlope {
  static constexpr Reads kReads = Reads::Input;
  template <class T>
  T operator()(T x) const {
    return x < 0 ? static_cast<T>(negative) * static_cast<T>(argument) *
                       std::exp(x * static_cast<T>(argument))
                 : static_cast<T>(positive);
  }
  float positive = 1;
  float negative = 1;
  float argument = 1;
};

struct EluSlope : ExponentialUnitSlope {
  explicit EluSlope(const Node& node) { negative = node.real("alpha", 1); }
};

struct CeluSlope : ExponentialUnitSlope {
  explicit CeluSlope(const Node& node) {
    negative = node.real("alpha", 1);
    argument = 1 / negative;
  }
};

struct SeluSlope : ExponentialUnitSlope {
  explicit SeluSlope(const Node& node) {
    const bool first = node.version == 1;
    positive = node.real("gamma", first ? 1.0507F : 1.05070102214813232421875F);
    negative = positive * node.real("alpha", first ? 1.6732F : 1.67326319217681884765625F);
  }
};

struct ConstantSlope {
  static constexpr Reads kReads = Reads::Nothing;
  template <class T>
  T operator()(T) const {
    return static_cast<T>(slope);
  }
  float slope = 1;
};

struct AffineSlope : ConstantSlope {
  explicit AffineSlope(const Node& node) : ConstantSlope{node.real("alpha", 1)} {}
};

struct ImageScalerSlope : ConstantSlope {
  explicit ImageScalerSlope(const Node& node) : ConstantSlope{node.real("scale", 1)} {}
};

}  // namespace

void registerElementwiseGradients(GradientRegistry& registry) {
  registry.add("Relu", makeElementwise<ReluSlope>);
  registry.add("LeakyRelu", makeElementwise<LeakyReluSlope>);
  registry.add("ThresholdedRelu", makeElementwise<ThresholdedReluSlope>);
  registry.add("HardSigmoid", makeElementwise<HardSigmoidSlope>);
  registry.add("HardSwish", makeElementwise<HardSwishSlope>);
  registry.add("Shrink", makeElementwise<ShrinkSlope>);
  registry.add("Softsign", makeElementwise<SoftsignSlope>);
  registry.add("Sigmoid", makeElementwise<SigmoidSlope>);
  registry.add("Tanh", makeElementwise<TanhSlope>);
  registry.add("Exp", makeElementwise<ExpSlope>);
  registry.add("Log", makeElementwise<LogSlope>);
  registry.add("Sqrt", makeElementwise<SqrtSlope>);
  registry.add("Reciprocal", makeElementwise<ReciprocalSlope>);
  registry.add("Neg", makeElementwise<NegSlope>);
  registry.add("Abs", makeElementwise<AbsSlope>);
  registry.add("Erf", makeElementwise<ErfSlope>);
  registry.add("Softplus", makeElementwise<SoftplusSlope>);
  registry.add("Mish", makeElementwise<MishSlope>);
  registry.add("Gelu", makeElementwise<GeluSlope>);
  registry.add("Elu", makeElementwise<EluSlope>);
  registry.add("Celu", makeElementwise<CeluSlope>);
  registry.add("Selu", makeElementwise<SeluSlope>);
  registry.add("Affine", makeElementwise<AffineSlope>);
  registry.add("ImageScaler", makeElementwise<ImageScalerSlope>);
}

}  // namespace quantscope
