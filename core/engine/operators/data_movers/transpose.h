#pragma once

#include <cstddef>
#include <span>

#include "tensor/tensor.h"

namespace quantscope {

/// y[i(p0), i(p1), …] = x[i0, i1, …]: axis k of the result is axis `permutation[k]` of x, whatever
/// the layout of x. Shares the elements where the result is the same bytes in either layout.
Tensor transposed(const Tensor& x, std::span<const std::size_t> permutation);

/// x with axes of extent 1 added or dropped: all other extents of `shape` are those of x in the
/// same order. Shares the elements where the result is the same bytes in either layout, which it
/// mostly is.
Tensor withUnitAxes(const Tensor& x, const Shape& shape);

}  // namespace quantscope
