#include <array>
#include <vector>

#include "engine/operators/convert.h"
#include "engine/operators/indexing/indexing.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

std::vector<std::int64_t> nonZeroElements(const Tensor& x) {
  std::vector<std::int64_t> found;
  visitElementType(x.type(), [&]<class T>() {
    const std::span<const T> values = x.values<T>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (converted<bool>(values[i])) found.push_back(static_cast<std::int64_t>(i));
    }
  });
  return found;
}

// [rank, count]: column k holds the coordinates of the k-th element that is not zero.
Tensor nonZero(const Tensor& x) {
  const std::vector<std::int64_t> found = nonZeroElements(x);
  const auto count = static_cast<std::int64_t>(found.size());
  // A scalar counts as one axis of one element.
  const Shape shape = x.shape().empty() ? Shape{1} : x.shape();
  const Shape strides = rowMajorStrides(shape);
  Tensor result(ElementType::Int64, {static_cast<std::int64_t>(shape.rank()), count});
  auto target = result.mutableValues<std::int64_t>().begin();
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    for (const std::int64_t element : found) *target++ = element / strides[axis] % shape[axis];
  }
  return result;
}

std::unique_ptr<Kernel> nonZeroKernel(const Node& /*node*/, const Graph& /*graph*/) {
  return makeKernel(
      [](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        setOutput(outputs, 0, nonZero(requiredInput(inputs, 0)));
      },
      Kernel::InputLayout::Plain, true);
}

}  // namespace

void registerNonZero(OperatorRegistry& registry) {
  registry.add("NonZero", {9, 13}, nonZeroKernel);
}

}  // namespace quantscope
