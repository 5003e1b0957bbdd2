// GatherElements and ScatterElements: each entry of `indices` names the place along one axis; the
// other coordinates are those of the entry itself.

#include <array>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/indexing/gather.h"
#include "engine/operators/indexing/indexing.h"
#include "engine/operators/indexing/scatter_reduction.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

void requireInside(const Shape& indices, const Shape& data, std::size_t axis) {
  bool fits = indices.rank() == data.rank();
  for (std::size_t i = 0; fits && i < data.rank(); ++i) {
    fits = i == axis || indices[i] <= data[i];
  }
  if (fits) return;
  throw Error(ErrorCode::InvalidParameters, "indices of shape " + toString(indices) +
                                                " do not fit data of shape " + toString(data));
}

// The element of the data that each entry of `indices` names, in the order of the entries.
std::vector<std::int64_t> elementOffsets(const Tensor& indices, const Shape& data,
                                         std::size_t axis) {
  const Shape& shape = indices.shape();
  requireInside(shape, data, axis);
  const Shape strides = rowMajorStrides(data);
  std::vector<std::int64_t> offsets = toIntegers(indices);
  std::array<std::int64_t, Shape::kMaxRank> index{};
  for (std::int64_t& offset : offsets) {
    offset = checkedIndex(offset, data[axis]) * strides[axis];
    for (std::size_t i = 0; i < shape.rank(); ++i) offset += i == axis ? 0 : index[i] * strides[i];
    for (std::size_t i = shape.rank(); i-- > 0;) {
      if (++index[i] < shape[i]) break;
      index[i] = 0;
    }
  }
  return offsets;
}

std::unique_ptr<Kernel> gatherElements(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [signedAxis = node.integer("axis", 0)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        const Tensor& indices = requiredInput(inputs, 1);
        const std::size_t axis = normalizeAxis(signedAxis, x.shape().rank());
        const auto offsets = elementOffsets(indices, x.shape(), axis);
        Tensor result(x.type(), indices.shape());
        visitRawElements(byteSize(x.type()), [&]<class T>() {
          const T* source = reinterpret_cast<const T*>(x.bytes());
          T* target = reinterpret_cast<T*>(result.mutableBytes());
          for (const std::int64_t offset : offsets) *target++ = source[offset];
        });
        setOutput(outputs, 0, std::move(result));
      },
      Kernel::InputLayout::Plain, true);
}

std::unique_ptr<Kernel> scatterElements(const Node& node, const Graph& /*graph*/) {
  const ScatterReduction reduction = scatterReduction(node);
  return makeKernel(
      [signedAxis = node.integer("axis", 0), reduction](std::span<Tensor> inputs,
                                                        std::span<Tensor> outputs) {
        const Shape shape = requiredInput(inputs, 0).shape();
        const Tensor& indices = requiredInput(inputs, 1);
        const Tensor& updates = requiredInput(inputs, 2);
        if (updates.shape() != indices.shape()) {
          throw Error(ErrorCode::InvalidParameters,
                      "updates of shape " + toString(updates.shape()) +
                          " do not match indices of shape " + toString(indices.shape()));
        }
        const auto offsets =
            elementOffsets(indices, shape, normalizeAxis(signedAxis, shape.rank()));
        Tensor result = writableCopy(inputs[0]);
        visitScatter(reduction, result, updates, [&](auto* target, auto* source, auto combine) {
          for (const std::int64_t offset : offsets) combine(target[offset], *source++);
        });
        setOutput(outputs, 0, std::move(result));
      },
      Kernel::InputLayout::Plain, reduction == ScatterReduction::Replace);
}

}  // namespace

void registerGatherElements(OperatorRegistry& registry) {
  registry.add("GatherElements", {11, 13}, gatherElements);
  registry.add("ScatterElements", {11, 13, 16, 18}, scatterElements);
  registry.add("Scatter", {9, 11}, scatterElements);
}

}  // namespace quantscope
