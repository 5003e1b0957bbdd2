#include <algorithm>

#include "engine/operators/elementwise/binary_loops.h"
#include "engine/operators/elementwise/elementwise.h"
#include "engine/operators/elementwise/unary_loops.h"

namespace quantscope {
namespace {

// If either operand is NaN, so is the result.
struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    return a > b || a != a ? a : b;
  }
};

struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    return a < b || a != a ? a : b;
  }
};

struct Total {
  template <class T>
  T operator()(T a, T b) const {
    return a + b;
  }
};

struct Scaled {
  template <class T>
  T operator()(T x) const {
    return x / static_cast<T>(count);
  }
  std::size_t count;
};

// ((x0 ∘ x1) ∘ x2) ∘ …, each step in the elements of the one before where the shape allows.
template <class T, class Operation>
Tensor fold(std::span<Tensor> inputs, std::size_t count) {
  Tensor result = std::move(inputs[0]);
  for (std::size_t i = 1; i < count; ++i) {
    requiredInput(inputs, i);
    std::array operands{std::move(result), std::move(inputs[i])};
    result = binaryBroadcast<T, T>(operands, Operation{});
  }
  return result;
}

std::size_t countOperands(std::span<const Tensor> inputs) {
  const auto missing = std::ranges::find_if_not(inputs, &Tensor::defined);
  return static_cast<std::size_t>(missing - inputs.begin());
}

template <class Types, class Operation>
std::unique_ptr<Kernel> variadic(const Node& /*node*/, const Graph& /*graph*/) {
  return makeKernel(
      [](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const ElementType type = requiredInput(inputs, 0).type();
        visitTypes(Types{}, type, [&]<class T>() {
          setOutput(outputs, 0, fold<T, Operation>(inputs, countOperands(inputs)));
        });
      },
      Kernel::InputLayout::Any);
}

std::unique_ptr<Kernel> mean(const Node& /*node*/, const Graph& /*graph*/) {
  return makeKernel(
      [](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const ElementType type = requiredInput(inputs, 0).type();
        visitTypes(FloatTypes{}, type, [&]<class T>() {
          const std::size_t count = countOperands(inputs);
          Tensor total = fold<T, Total>(inputs, count);
          setOutput(outputs, 0, mapElements<T>(total, Scaled{count}));
        });
      },
      Kernel::InputLayout::Any);
}

}  // namespace

void registerVariadic(OperatorRegistry& registry) {
  registry.add("Max", {1, 6, 8, 12, 13}, variadic<NumberTypes, Maximum>);
  registry.add("Min", {1, 6, 8, 12, 13}, variadic<NumberTypes, Minimum>);
  registry.add("Sum", {1, 6, 8, 13}, variadic<FloatTypes, Total>);
  registry.add("Mean", {1, 6, 8, 13}, mean);
}

}  // namespace quantscope
