#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "tensor/tensor.h"

namespace quantscope {

/// A tensor read as [outer, reduced, inner] in the order of memory, and what its reduction along
/// the middle axis looks like.
struct ReductionView {
  Tensor source;
  std::int64_t outer = 1;
  std::int64_t reduced = 1;
  std::int64_t inner = 1;
  Shape shape;                    ///< of the result
  Layout layout = Layout::Plain;  ///< of the result
};

/// The view that reduces `axes`; negative ones count from the end. The elements of x are only moved
/// where kept and reduced axes alternate in memory.
ReductionView viewReduction(const Tensor& x, std::span<const std::int64_t> axes, bool keepAxes);

/// A plain tensor as [outer, extent of the axis, inner].
struct AxisView {
  AxisView(const Shape& shape, std::size_t axis)
      : outer(shape.elementCount(0, axis)),
        extent(shape[axis]),
        inner(shape.elementCount(axis + 1, shape.rank())) {}
  std::int64_t outer;
  std::int64_t extent;
  std::int64_t inner;
};

}  // namespace quantscope
