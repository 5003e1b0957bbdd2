#include <cmath>
#include <limits>

#include "engine/operators/convert.h"
#include "engine/operators/elementwise/binary_loops.h"
#include "engine/operators/elementwise/elementwise.h"
#include "engine/operators/elementwise/integer_division.h"
#include "engine/operators/elementwise/unary_loops.h"

namespace quantscope {
namespace {

// Repeated squaring; wraps around like every product of integers.
template <class T>
T integerPower(T base, std::int64_t exponent) {
  if (exponent < 0) {
    if (base == 1) return 1;
    if (base == static_cast<T>(-1)) return exponent % 2 == 0 ? T{1} : base;
    return 0;
  }
  std::uint64_t result = 1;
  for (auto square = static_cast<std::uint64_t>(base); exponent > 0; exponent >>= 1) {
    if (exponent & 1) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

struct Power {
  template <class T, class E>
  T operator()(T base, E exponent) const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::pow(base, exponent);
    } else if constexpr (std::is_integral_v<E>) {
      return integerPower(base, exponent);
    } else {
      return converted<T>(std::pow(static_cast<double>(base), exponent));
    }
  }
};

struct Square {
  template <class T>
  T operator()(T x) const {
    return x * x;
  }
};

// Results of std::pow: +∞ for −∞ and 0 for −0.
struct Root {
  template <class T>
  T operator()(T x) const {
    const T root = std::sqrt(x + T{0});
    return x == -std::numeric_limits<T>::infinity() ? -x : root;
  }
};

struct Cube {
  template <class T>
  T operator()(T x) const {
    return x * x * x;
  }
};

// std::pow takes fifty times as long as the products that most models mean.
template <class T>
Tensor floatPower(std::span<Tensor> operands) {
  Tensor& exponents = operands[1];
  exponents = convertedTo(exponents, ElementTypeOf<T>::kType);
  if (exponents.elementCount() == 1 && exponents.shape().rank() <= operands[0].shape().rank()) {
    const T exponent = exponents.values<T>()[0];
    if (exponent == 1) return operands[0];
    if (exponent == 2) return mapElements<T>(operands[0], Square{});
    if (exponent == T{0.5}) return mapElements<T>(operands[0], Root{});
    if (exponent == 3) return mapElements<T>(operands[0], Cube{});
  }
  return binaryBroadcast<T, T>(operands, Power{});
}

template <class T>
Tensor power(std::span<Tensor> operands) {
  if constexpr (std::is_floating_point_v<T>) {
    return floatPower<T>(operands);
  } else {
    const bool integers = !isFloat(operands[1].type());
    operands[1] = convertedTo(operands[1], integers ? ElementType::Int64 : ElementType::Float64);
    return integers ? binaryBroadcast<T, std::int64_t>(operands, Power{})
                    : binaryBroadcast<T, double>(operands, Power{});
  }
}

std::unique_ptr<Kernel> powerKernel(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [legacy = LegacyBroadcast(node)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const ElementType type = requiredInput(inputs, 0).type();
        requiredInput(inputs, 1);
        legacy.apply(inputs);
        visitTypes(NumberTypes{}, type,
                   [&]<class T>() { setOutput(outputs, 0, power<T>(inputs.first(2))); });
      },
      Kernel::InputLayout::Any);
}

struct FlooredRemainder {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      return flooredRemainder(a, b);
    } else {
      const T remainder = std::fmod(a, b);
      return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
    }
  }
};

struct TruncatedRemainder {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return truncatedRemainder(a, b);
    else
      return std::fmod(a, b);
  }
};

std::unique_ptr<Kernel> remainder(const Node& node, const Graph& graph) {
  return node.integer("fmod", 0) != 0 ? binary<NumberTypes, TruncatedRemainder>(node, graph)
                                      : binary<NumberTypes, FlooredRemainder>(node, graph);
}

}  // namespace

void registerPowerAndRemainder(OperatorRegistry& registry) {
  registry.add("Pow", {1, 7, 12, 13, 15}, powerKernel);
  registry.add("Mod", {10, 13}, remainder);
}

}  // namespace quantscope
