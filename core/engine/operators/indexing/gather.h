#pragma once

#include <cstdint>
#include <span>

#include "tensor/tensor.h"

namespace quantscope {

/// Throws InvalidData, naming the index.
[[noreturn]] void failIndex(std::int64_t index, std::int64_t extent);

/// `index` counted from the front; −1 = the last of `extent`.
/// Throws InvalidData, naming the index, where it lies outside [−extent, extent).
inline std::int64_t checkedIndex(std::int64_t index, std::int64_t extent) {
  if (index < -extent || index >= extent) failIndex(index, extent);
  return index < 0 ? index + extent : index;
}

/// y[…, j…, …] = x[…, indices[j…], …]: `axis` of x is replaced by the axes of `indexShape`.
/// Negative indices count from the end. Throws InvalidData for one that lies outside.
Tensor gathered(const Tensor& x, std::span<const std::int64_t> indices, const Shape& indexShape,
                std::size_t axis);

}  // namespace quantscope
