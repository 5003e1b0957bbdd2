#include <limits>

#include "engine/operators/convert.h"
#include "engine/operators/elementwise/elementwise.h"
#include "engine/operators/elementwise/unary_loops.h"

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

UnaryElement clamping(const Clamp<float>& bounds) {
  return {UnaryElement::Operation::Clamp, bounds.low, bounds.high};
}

template <class T>
Tensor clamped(Tensor& x, const Clamp<T>& bounds) {
  if constexpr (std::is_same_v<T, float>)
    return mapFloats(x, clamping(bounds));
  else
    return mapElements<T>(x, bounds);
}

std::unique_ptr<Kernel> clipByInputs(const Node& /*node*/, const Graph& /*graph*/) {
  return makeElementwiseKernel(
      [](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        Tensor& x = requiredInput(inputs, 0);
        visitTypes(NumberTypes{}, x.type(),
                   [&]<class T>() { setOutput(outputs, 0, clamped<T>(x, boundsOf<T>(inputs))); });
      },
      [](ElementChain& chain, std::span<Tensor> inputs, std::size_t chained) {
        if (chained != 0) return false;
        chain.append(clamping(boundsOf<float>(inputs)));
        return true;
      });
}

std::unique_ptr<Kernel> clipByAttributes(const Node& node, const Graph& /*graph*/) {
  const Clamp<float> bounds{.low = node.real("min", std::numeric_limits<float>::lowest()),
                            .high = node.real("max", std::numeric_limits<float>::max())};
  return makeElementwiseKernel(
      [bounds](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        Tensor& x = requiredInput(inputs, 0);
        visitTypes(FloatTypes{}, x.type(), [&]<class T>() {
          setOutput(outputs, 0, clamped<T>(x, {T{bounds.low}, T{bounds.high}}));
        });
      },
      [bounds](ElementChain& chain, std::span<Tensor>, std::size_t) {
        chain.append(clamping(bounds));
        return true;
      });
}

}  // namespace

void registerClip(OperatorRegistry& registry) {
  registry.add("Clip", {1, 6}, clipByAttributes);
  registry.add("Clip", {11, 12, 13}, clipByInputs);
}

}  // namespace quantscope
