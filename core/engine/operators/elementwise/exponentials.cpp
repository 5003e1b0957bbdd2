// Functions that have kernels: floats go through those, doubles through <cmath>. Each operation has
// a call for one double and `map` for spans of floats, which may be the same.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "base/error.h"
#include "engine/operators/elementwise/elementwise.h"
#include "engine/operators/elementwise/unary_loops.h"
#include "kernels/network/soft_activations.h"
#include "kernels/network/transcendental.h"

namespace quantscope {
namespace {

using Source = std::span<const float>;
using Target = std::span<float>;

struct Exponential {
  double operator()(double x) const { return std::exp(x); }
  static void map(Source x, Target y) { exponential(x, y); }
};

struct Logarithm {
  double operator()(double x) const { return std::log(x); }
  static void map(Source x, Target y) { naturalLogarithm(x, y); }
};

struct HyperbolicTangent {
  double operator()(double x) const { return std::tanh(x); }
  static void map(Source x, Target y) { hyperbolicTangent(x, y); }
};

struct Logistic {
  double operator()(double x) const { return 1 / (1 + std::exp(-x)); }
  static void map(Source x, Target y) { logistic(x, y); }
};

struct ErrorFunction {
  double operator()(double x) const { return std::erf(x); }
  static void map(Source x, Target y) { errorFunction(x, y); }
};

struct Softplus {
  double operator()(double x) const {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
  }
  static void map(Source x, Target y) { softplus(x, y); }
};

struct Mish {
  double operator()(double x) const { return x * std::tanh(Softplus{}(x)); }
  static void map(Source x, Target y) { mish(x, y); }
};

struct ExponentialUnit {
  double operator()(double x) const {
    return x < 0 ? double{factors.negative} * std::expm1(x * double{factors.argument})
                 : double{factors.positive} * x;
  }
  void map(Source x, Target y) const { exponentialLinear(x, y, factors); }
  ExponentialLinear factors;
};

struct Elu : ExponentialUnit {
  explicit Elu(const Node& node) : ExponentialUnit{{.negative = node.real("alpha", 1)}} {}
};

struct Celu : ExponentialUnit {
  explicit Celu(const Node& node) {
    const float alpha = node.real("alpha", 1);
    if (!(alpha > 0)) throw Error(ErrorCode::InvalidModel, "alpha of a Celu is not positive");
    factors = {.negative = alpha, .argument = 1 / alpha};
  }
};

// The defaults of the first version have fewer digits.
struct Selu : ExponentialUnit {
  explicit Selu(const Node& node) {
    const bool first = node.version == 1;
    const float alpha = node.real("alpha", first ? 1.6732F : 1.67326319217681884765625F);
    const float gamma = node.real("gamma", first ? 1.0507F : 1.05070102214813232421875F);
    factors = {.positive = gamma, .negative = gamma * alpha};
  }
};

// x·Φ(x), or its approximation by tanh.
struct GaussianErrorUnit {
  explicit GaussianErrorUnit(const Node& node)
      : byTanh(node.text("approximate", "none") == "tanh") {}

  double operator()(double x) const {
    const double bend = argument(x);
    return x / 2 * (1 + (byTanh ? std::tanh(bend) : std::erf(bend)));
  }

  void map(Source x, Target y) const {
    std::array<float, 1024> bends;
    for (std::size_t first = 0; first < x.size(); first += bends.size()) {
      const std::size_t count = std::min(bends.size(), x.size() - first);
      const Target block = Target(bends).first(count);
      for (std::size_t i = 0; i < count; ++i) block[i] = argument(x[first + i]);
      byTanh ? hyperbolicTangent(block, block) : errorFunction(block, block);
      for (std::size_t i = 0; i < count; ++i) y[first + i] = x[first + i] / 2 * (1 + block[i]);
    }
  }

  template <class T>
  T argument(T x) const {
    constexpr T kRoot = std::numbers::sqrt2_v<T> * std::numbers::inv_sqrtpi_v<T>;
    if (byTanh) return kRoot * (x + static_cast<T>(0.044715) * x * x * x);
    return x / std::numbers::sqrt2_v<T>;
  }

  bool byTanh;
};

template <class Operation>
std::unique_ptr<Kernel> vectorized(const Node& node, const Graph& /*graph*/) {
  const auto operation = operationOf<Operation>(node);
  const ElementMap map = [operation](Source x, Target y) { operation.map(x, y); };
  return makeElementwiseKernel(
      [operation](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        Tensor& x = requiredInput(inputs, 0);
        if (x.type() == ElementType::Float64) {
          return setOutput(outputs, 0, mapElements<double>(x, operation));
        }
        const Source source = x.values<float>();
        Tensor y = takeOver(x, ElementType::Float32);
        operation.map(source, y.mutableValues<float>());
        setOutput(outputs, 0, std::move(y));
      },
      [map](ElementChain& chain, std::span<Tensor>, std::size_t) {
        chain.append(map);
        return true;
      });
}

}  // namespace

void registerExponentials(OperatorRegistry& registry) {
  registry.add("Exp", {1, 6, 13}, vectorized<Exponential>);
  registry.add("Log", {1, 6, 13}, vectorized<Logarithm>);
  registry.add("Tanh", {1, 6, 13}, vectorized<HyperbolicTangent>);
  registry.add("Sigmoid", {1, 6, 13}, vectorized<Logistic>);
  registry.add("Erf", {9, 13}, vectorized<ErrorFunction>);
  registry.add("Softplus", {1, 22}, vectorized<Softplus>);
  registry.add("Mish", {18, 22}, vectorized<Mish>);
  registry.add("Elu", {1, 6, 22}, vectorized<Elu>);
  registry.add("Celu", {12}, vectorized<Celu>);
  registry.add("Selu", {1, 6, 22}, vectorized<Selu>);
  registry.add("Gelu", {20}, vectorized<GaussianErrorUnit>);
}

}  // namespace quantscope
