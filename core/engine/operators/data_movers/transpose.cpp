#include "engine/operators/data_movers/transpose.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/data_movers/data_movers.h"
#include "engine/operators/memory_order.h"
#include "engine/operators/operands.h"
#include "engine/operators/strided_copy.h"

namespace quantscope {
namespace {

using Permutation = std::array<std::size_t, Shape::kMaxRank>;

// The axes longer than 1, in the order of memory.
std::size_t longAxes(const Shape& shape, Layout layout, Permutation& order) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    const std::size_t axis = logicalAxis(i, shape.rank(), layout);
    if (shape[axis] != 1) order[count++] = axis;
  }
  return count;
}

// True where the result of shape `shape` in `layout` has its elements in the same order of memory
// as x; `source` gives the axis of x behind an axis of the result that is longer than 1.
template <class Source>
bool sameOrder(const Tensor& x, const Shape& shape, Layout layout, const Source& source) {
  Permutation before{};
  Permutation after{};
  const std::size_t count = longAxes(x.shape(), x.layout(), before);
  longAxes(shape, layout, after);
  for (std::size_t i = 0; i < count; ++i) {
    if (source(after[i]) != before[i]) return false;
  }
  return true;
}

// x read as `shape`, plainly or channels-last, where one of them is the same bytes.
template <class Source>
std::optional<Tensor> relabelled(const Tensor& x, const Shape& shape, const Source& source) {
  if (sameOrder(x, shape, Layout::Plain, source)) return x.reinterpreted(shape, Layout::Plain);
  if (shape.rank() >= 3 && sameOrder(x, shape, Layout::ChannelsLast, source)) {
    return x.reinterpreted(shape, Layout::ChannelsLast);
  }
  return std::nullopt;
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
  const auto source = [&](std::size_t axis) { return permutation[axis]; };
  if (const auto same = relabelled(x, shape, source)) return *same;
  return copied(x, shape, permutation);
}

Tensor withUnitAxes(const Tensor& x, const Shape& shape) {
  // The k-th long axis of the result is the k-th one of x.
  Permutation of{};
  Permutation in{};
  Permutation sources{};
  const std::size_t count = longAxes(x.shape(), Layout::Plain, of);
  longAxes(shape, Layout::Plain, in);
  for (std::size_t i = 0; i < count; ++i) sources[in[i]] = of[i];
  const auto source = [&](std::size_t axis) { return sources[axis]; };
  if (const auto same = relabelled(x, shape, source)) return *same;
  return x.reshaped(shape);
}

void registerTranspose(OperatorRegistry& registry) {
  registry.add("Transpose", {1, 13, 21, 23, 24}, transpose);
}

}  // namespace quantscope
