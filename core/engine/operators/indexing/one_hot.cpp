#include <string>

#include "base/error.h"
#include "engine/axis_slices.h"
#include "engine/operators/convert.h"
#include "engine/operators/indexing/indexing.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

std::int64_t readDepth(const Tensor& tensor) {
  const std::int64_t depth = onlyInteger(convertedTo(tensor, ElementType::Int64));
  if (depth >= 0) return depth;
  throw Error(ErrorCode::InvalidParameters, "the depth " + std::to_string(depth) + " is negative");
}

// target is [outer, depth, inner] and all off; an index outside [−depth, depth) stays off.
template <class T>
void setOn(std::span<const std::int64_t> indices, T* target, std::int64_t depth, std::int64_t inner,
           T on) {
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::int64_t index = indices[i] < 0 ? indices[i] + depth : indices[i];
    if (index < 0 || index >= depth) continue;
    const std::int64_t outer = static_cast<std::int64_t>(i) / inner;
    target[(outer * depth + index) * inner + static_cast<std::int64_t>(i) % inner] = on;
  }
}

Tensor oneHot(const Tensor& indexTensor, std::int64_t depth, const Tensor& values,
              std::int64_t signedAxis) {
  if (values.elementCount() != 2) {
    throw Error(ErrorCode::InvalidParameters,
                "the off and on values have the shape " + toString(values.shape()));
  }
  const Tensor indices = convertedTo(indexTensor, ElementType::Int64);
  const Shape& shape = indices.shape();
  const std::size_t axis = normalizeAxis(signedAxis, shape.rank() + 1);
  Tensor result(values.type(), withAxis(shape, axis, depth));
  visitRawElements(byteSize(values.type()), [&]<class T>() {
    const T* offOn = reinterpret_cast<const T*>(values.bytes());
    T* target = reinterpret_cast<T*>(result.mutableBytes());
    std::fill_n(target, result.elementCount(), offOn[0]);
    setOn(indices.values<std::int64_t>(), target, depth, shape.elementCount(axis, shape.rank()),
          offOn[1]);
  });
  return result;
}

std::unique_ptr<Kernel> oneHotKernel(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [axis = node.integer("axis", -1)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& indices = requiredInput(inputs, 0);
        const std::int64_t depth = readDepth(requiredInput(inputs, 1));
        setOutput(outputs, 0, oneHot(indices, depth, requiredInput(inputs, 2), axis));
      },
      Kernel::InputLayout::Plain, true);
}

}  // namespace

void registerOneHot(OperatorRegistry& registry) {
  registry.add("OneHot", {9, 11}, oneHotKernel);
}

}  // namespace quantscope
