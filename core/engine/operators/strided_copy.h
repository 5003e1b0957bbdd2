#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensor/tensor.h"

namespace quantscope {

/// One axis of a copy between two strided arrays; strides in elements. A source stride of 0
/// repeats, a negative one runs backwards.
struct CopyAxis {
  std::int64_t extent;
  std::int64_t sourceStride;
  std::int64_t targetStride;
};

/// Most axes that one copy may have: each axis of a tensor split in two.
constexpr std::size_t kMaxCopyAxes = 2 * Shape::kMaxRank;

/// Copies elements of `elementBytes` bytes (1, 2, 4, 8). `source` and `target` are the elements at
/// index 0 of every axis; axes go from the outermost to the innermost of the target. Source and
/// target do not overlap. All indices must be inside: nothing is checked.
void stridedCopy(const std::byte* source, std::byte* target, std::size_t elementBytes,
                 std::span<const CopyAxis> axes);

/// Copies the box of `extents` that starts at `from` in the source to the box that starts at `to`
/// in the target. Both have the same element type, rank and layout; axes are logical ones.
void copyBox(const Tensor& source, const Shape& from, Tensor& target, const Shape& to,
             const Shape& extents);

/// The box of shape `extents` that starts at `from`, in the layout of the source.
Tensor copyOfBox(const Tensor& source, const Shape& from, const Shape& extents);

}  // namespace quantscope
