#pragma once

#include <cstddef>
#include <span>

#include "tensor/tensor.h"

namespace quantscope {

/// y[i(p0), i(p1), …] = x[i0, i1, …]: axis k of the result is axis `permutation[k]` of x, whatever
/// the layout of x. Shares the elements where the result is the same bytes in either layout.
Tensor transposed(const Tensor& x, std::span<const std::size_t> permutation);

}  // namespace quantscope
