#pragma once

#include <cstddef>
#include <span>

#include "tensor/tensor.h"

namespace quantscope {

/// Where a logical axis stands in the order of memory, outermost first.
constexpr std::size_t memoryPosition(std::size_t axis, std::size_t rank, Layout layout) {
  if (layout == Layout::Plain || axis == 0) return axis;
  return axis == 1 ? rank - 1 : axis - 1;
}

/// The logical axis that stands at a position of the order of memory.
constexpr std::size_t logicalAxis(std::size_t position, std::size_t rank, Layout layout) {
  if (layout == Layout::Plain || position == 0) return position;
  return position == rank - 1 ? 1 : position + 1;
}

/// The extents in the order of memory: [N, C, H, W] channels-last gives [N, H, W, C].
Shape memoryShape(const Shape& shape, Layout layout);

/// True where both layouts are the same bytes: fewer than three axes, one channel, one position.
bool sameInEveryLayout(const Shape& shape);

/// The layout to compute in when operands of equal rank meet: channels-last where more elements
/// lie that way than plainly (tensors that are the same in every layout do not count).
Layout commonLayout(std::span<const Tensor> operands);

}  // namespace quantscope
