#include "engine/operators/transpose.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/data_movers.h"
#include "engine/operators/memory_order.h"
#include "engine/operators/operands.h"
#include "engine/operators/strided_copy.h"

namespace quantscope {
namespace {

using Permutation = std::array<std::size_t, Shape::kMaxRank>;

// Axes of x that are longer than 1, in the order of memory.
std::size_t longAxes(const Tensor& x, Permutation& order) {
  const std::size_t rank = x.shape().rank();
  std::size_t count = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t axis = logicalAxis(i, rank, x.layout());
    if (x.shape()[axis] != 1) order[count++] = axis;
  }
  return count;
}

// True where the result in `layout` has its elements in the same order of memory as x.
bool sameOrder(const Tensor& x, std::span<const std::size_t> permutation, Layout layout) {
  Permutation order{};
  const std::size_t count = longAxes(x, order);
  std::size_t next = 0;
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    const std::size_t axis = permutation[logicalAxis(i, permutation.size(), layout)];
    if (x.shape()[axis] == 1) continue;
    if (order[next++] != axis) return false;
  }
  return next == count;
}

Tensor copied(const Tensor& x, const Shape& shape, std::span<const std::size_t> permutation) {
  const std::size_t rank = shape.rank();
  const Shape sourceStrides = rowMajorStrides(memoryShape(x.shape(), x.layout()));
  const Shape targetStrides = rowMajorStrides(shape);
  std::array<CopyAxis, Shape::kMaxRank> axes;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t position = memoryPosition(permutation[i], rank, x.layout());
    axes[i] = {shape[i], sourceStrides[position], targetStrides[i]};
  }
  Tensor result(x.type(), shape);
  stridedCopy(x.bytes(), result.mutableBytes(), byteSize(x.type()), std::span(axes).first(rank));
  return result;
}

// Throws unless every axis stands there exactly once.
Permutation readPermutation(const std::vector<std::int64_t>& values, std::size_t rank) {
  Permutation permutation{};
  std::array<bool, Shape::kMaxRank> seen{};
  for (std::size_t i = 0; i < values.size() && values.size() == rank; ++i) {
    permutation[i] = normalizeAxis(values[i], rank);
    seen[permutation[i]] = true;
  }
  if (std::ranges::count(seen, true) != static_cast<std::ptrdiff_t>(rank)) {
    throw Error(ErrorCode::InvalidModel,
                "'perm' does not name each of the " + std::to_string(rank) + " axes once");
  }
  return permutation;
}

Permutation reversed(std::size_t rank) {
  Permutation permutation{};
  for (std::size_t i = 0; i < rank; ++i) permutation[i] = rank - 1 - i;
  return permutation;
}

std::unique_ptr<Kernel> transpose(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [given = node.has("perm"), values = node.integers("perm")](std::span<Tensor> inputs,
                                                                 std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        const std::size_t rank = x.shape().rank();
        const Permutation permutation = given ? readPermutation(values, rank) : reversed(rank);
        setOutput(outputs, 0, transposed(x, std::span(permutation).first(rank)));
      },
      Kernel::InputLayout::Any, true);
}

}  // namespace

Tensor transposed(const Tensor& x, std::span<const std::size_t> permutation) {
  Shape shape = x.shape();
  for (std::size_t i = 0; i < permutation.size(); ++i) shape[i] = x.shape()[permutation[i]];
  if (sameOrder(x, permutation, Layout::Plain)) return x.reinterpreted(shape, Layout::Plain);
  if (shape.rank() >= 3 && sameOrder(x, permutation, Layout::ChannelsLast)) {
    return x.reinterpreted(shape, Layout::ChannelsLast);
  }
  return copied(x, shape, permutation);
}

void registerTranspose(OperatorRegistry& registry) {
  registry.add("Transpose", {1, 13, 21, 23, 24}, transpose);
}

}  // namespace quantscope
