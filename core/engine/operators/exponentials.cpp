#include <cmath>
#include <numbers>

#include "engine/operators/elementwise.h"
#include "engine/operators/unary_loops.h"

namespace quantscope {
namespace {

struct Exponential {
  template <class T>
  T operator()(T x) const {
    return std::exp(x);
  }
};

struct Logarithm {
  template <class T>
  T operator()(T x) const {
    return std::log(x);
  }
};

struct HyperbolicTangent {
  template <class T>
  T operator()(T x) const {
    return std::tanh(x);
  }
};

struct Logistic {
  template <class T>
  T operator()(T x) const {
    return 1 / (1 + std::exp(-x));
  }
};

struct ErrorFunction {
  template <class T>
  T operator()(T x) const {
    return std::erf(x);
  }
};

// x·Φ(x), or its approximation by tanh.
struct GaussianErrorUnit {
  explicit GaussianErrorUnit(const Node& node)
      : byTanh(node.text("approximate", "none") == "tanh") {}
  template <class T>
  T operator()(T x) const {
    if (!byTanh) return x / 2 * (1 + std::erf(x / std::numbers::sqrt2_v<T>));
    const T root = std::sqrt(2 * std::numbers::inv_pi_v<T>);
    return x / 2 * (1 + std::tanh(root * (x + static_cast<T>(0.044715) * x * x * x)));
  }
  bool byTanh;
};

// ln(1 + e^x) without overflow.
struct Softplus {
  template <class T>
  T operator()(T x) const {
    return std::max(x, T{0}) + std::log1p(std::exp(-std::abs(x)));
  }
};

struct Mish {
  template <class T>
  T operator()(T x) const {
    return x * std::tanh(Softplus{}(x));
  }
};

}  // namespace

void registerExponentials(OperatorRegistry& registry) {
  registry.add("Exp", {1, 6, 13}, unary<FloatTypes, Exponential>);
  registry.add("Log", {1, 6, 13}, unary<FloatTypes, Logarithm>);
  registry.add("Tanh", {1, 6, 13}, unary<FloatTypes, HyperbolicTangent>);
  registry.add("Sigmoid", {1, 6, 13}, unary<FloatTypes, Logistic>);
  registry.add("Erf", {9, 13}, unary<FloatTypes, ErrorFunction>);
  registry.add("Gelu", {20}, unary<FloatTypes, GaussianErrorUnit>);
  registry.add("Softplus", {1, 22}, unary<FloatTypes, Softplus>);
  registry.add("Mish", {18, 22}, unary<FloatTypes, Mish>);
}

}  // namespace quantscope
