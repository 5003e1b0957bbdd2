#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/operators/elementwise.h"
#include "engine/operators/unary_loops.h"
#include "kernels/transcendental.h"

namespace quantscope {
namespace {

struct Exponential {
  static double of(double x) { return std::exp(x); }
  static void map(std::span<const float> x, std::span<float> y) { exponential(x, y); }
};

struct Logarithm {
  template <class T>
  T operator()(T x) const {
    return std::log(x);
  }
};

struct HyperbolicTangent {
  static double of(double x) { return std::tanh(x); }
  static void map(std::span<const float> x, std::span<float> y) { hyperbolicTangent(x, y); }
};

struct Logistic {
  static double of(double x) { return 1 / (1 + std::exp(-x)); }
  static void map(std::span<const float> x, std::span<float> y) { logistic(x, y); }
};

struct ErrorFunction {
  static double of(double x) { return std::erf(x); }
  static void map(std::span<const float> x, std::span<float> y) { errorFunction(x, y); }
};

// Floats by a kernel, doubles one by one.
template <class Function>
std::unique_ptr<Kernel> vectorized(const Node& /*node*/, const Graph& /*graph*/) {
  return makeKernel(
      [](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        Tensor& x = requiredInput(inputs, 0);
        if (x.type() == ElementType::Float64) {
          return setOutput(outputs, 0, mapElements<double>(x, Function::of));
        }
        const std::span<const float> source = x.values<float>();
        Tensor y = takeOver(x, ElementType::Float32);
        Function::map(source, y.mutableValues<float>());
        setOutput(outputs, 0, std::move(y));
      },
      Kernel::InputLayout::Any);
}

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
  registry.add("Exp", {1, 6, 13}, vectorized<Exponential>);
  registry.add("Log", {1, 6, 13}, unary<FloatTypes, Logarithm>);
  registry.add("Tanh", {1, 6, 13}, vectorized<HyperbolicTangent>);
  registry.add("Sigmoid", {1, 6, 13}, vectorized<Logistic>);
  registry.add("Erf", {9, 13}, vectorized<ErrorFunction>);
  registry.add("Gelu", {20}, unary<FloatTypes, GaussianErrorUnit>);
  registry.add("Softplus", {1, 22}, unary<FloatTypes, Softplus>);
  registry.add("Mish", {18, 22}, unary<FloatTypes, Mish>);
}

}  // namespace quantscope
