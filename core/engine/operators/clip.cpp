#include <limits>

#include "engine/operators/convert.h"
#include "engine/operators/elementwise.h"
#include "engine/operators/unary_loops.h"

namespace quantscope {
namespace {

// A NaN stays one; where the bounds cross, the upper one wins.
template <class T>
struct Clamp {
  T operator()(T x) const {
    const T raised = x < low ? low : x;
    return raised > high ? high : raised;
  }
  T low = std::numeric_limits<T>::lowest();
  T high = std::numeric_limits<T>::max();
};

template <class T>
T onlyElement(const Tensor& bound) {
  const std::span<const T> values = bound.values<T>();
  if (values.size() == 1) return values[0];
  throw Error(ErrorCode::InvalidParameters,
              "a bound is one number but has the shape " + toString(bound.shape()));
}

template <class T>
Clamp<T> boundsOf(std::span<Tensor> inputs) {
  Clamp<T> bounds;
  if (const Tensor* low = optionalInput(inputs, 1)) bounds.low = onlyElement<T>(*low);
  if (const Tensor* high = optionalInput(inputs, 2)) bounds.high = onlyElement<T>(*high);
  return bounds;
}

std::unique_ptr<Kernel> clipByInputs(const Node& /*node*/, const Graph& /*graph*/) {
  return makeKernel(
      [](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        Tensor& x = requiredInput(inputs, 0);
        visitTypes(NumberTypes{}, x.type(), [&]<class T>() {
          setOutput(outputs, 0, mapElements<T>(x, boundsOf<T>(inputs)));
        });
      },
      Kernel::InputLayout::Any);
}

std::unique_ptr<Kernel> clipByAttributes(const Node& node, const Graph& /*graph*/) {
  const Clamp<float> bounds{.low = node.real("min", std::numeric_limits<float>::lowest()),
                            .high = node.real("max", std::numeric_limits<float>::max())};
  return makeKernel(
      [bounds](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        Tensor& x = requiredInput(inputs, 0);
        visitTypes(FloatTypes{}, x.type(), [&]<class T>() {
          setOutput(outputs, 0, mapElements<T>(x, Clamp<T>{T{bounds.low}, T{bounds.high}}));
        });
      },
      Kernel::InputLayout::Any);
}

}  // namespace

void registerClip(OperatorRegistry& registry) {
  registry.add("Clip", {1, 6}, clipByAttributes);
  registry.add("Clip", {11, 12, 13}, clipByInputs);
}

}  // namespace quantscope
