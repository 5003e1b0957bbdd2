#include <algorithm>
#include <cmath>

#include "engine/operators/elementwise/elementwise.h"
#include "engine/operators/elementwise/unary_loops.h"

namespace quantscope {
namespace {

// Comparisons are written so that a NaN stays one; std::min and std::max return their first
// argument where the second is no better.

struct Relu {
  template <class T>
  T operator()(T x) const {
    return x < 0 ? T{0} : x;
  }
  UnaryElement element() const { return {UnaryElement::Operation::Relu}; }
};

struct LeakyRelu {
  explicit LeakyRelu(const Node& node) : alpha(node.real("alpha", 0.01F)) {}
  template <class T>
  T operator()(T x) const {
    // Computed for both signs: a product behind a branch keeps the loop from being vectorized.
    const T sloped = static_cast<T>(alpha) * x;
    return x < 0 ? sloped : x;
  }
  UnaryElement element() const { return {UnaryElement::Operation::LeakyRelu, alpha}; }
  float alpha;
};

struct ThresholdedRelu {
  explicit ThresholdedRelu(const Node& node) : alpha(node.real("alpha", 1.0F)) {}
  template <class T>
  T operator()(T x) const {
    return x <= static_cast<T>(alpha) ? T{0} : x;
  }
  float alpha;
};

template <class T>
T clampedToUnit(T x) {
  return std::min(std::max(x, T{0}), T{1});
}

struct HardSigmoid {
  explicit HardSigmoid(const Node& node)
      : alpha(node.real("alpha", 0.2F)), beta(node.real("beta", 0.5F)) {}
  template <class T>
  T operator()(T x) const {
    return clampedToUnit(static_cast<T>(alpha) * x + static_cast<T>(beta));
  }
  UnaryElement element() const { return {UnaryElement::Operation::HardSigmoid, alpha, beta}; }
  float alpha;
  float beta;
};

// x·HardSigmoid(x) with alpha 1/6, beta 1/2.
struct HardSwish {
  template <class T>
  T operator()(T x) const {
    return x * clampedToUnit(x * (T{1} / 6) + T{1} / 2);
  }
  UnaryElement element() const { return {UnaryElement::Operation::HardSwish}; }
};

struct Shrink {
  explicit Shrink(const Node& node)
      : bias(node.real("bias", 0)), threshold(node.real("lambd", 0.5F)) {}
  template <class T>
  T operator()(T x) const {
    if (x < -static_cast<T>(threshold)) return x + static_cast<T>(bias);
    if (x > static_cast<T>(threshold)) return x - static_cast<T>(bias);
    return std::isnan(x) ? x : T{0};
  }
  float bias;
  float threshold;
};

struct Softsign {
  template <class T>
  T operator()(T x) const {
    return x / (1 + std::abs(x));
  }
};

}  // namespace

void registerActivations(OperatorRegistry& registry) {
  registry.add("Relu", {1, 6, 13, 14}, unary<SignedTypes, Relu>);
  registry.add("LeakyRelu", {1, 6, 16}, unary<FloatTypes, LeakyRelu>);
  registry.add("ThresholdedRelu", {10, 22}, unary<FloatTypes, ThresholdedRelu>);
  registry.add("HardSigmoid", {1, 6, 22}, unary<FloatTypes, HardSigmoid>);
  registry.add("HardSwish", {14, 22}, unary<FloatTypes, HardSwish>);
  registry.add("Shrink", {9}, unary<FloatTypes, Shrink>);
  registry.add("Softsign", {1, 22}, unary<FloatTypes, Softsign>);
}

}  // namespace quantscope
