#pragma once

#include <cstddef>
#include <cstdint>

namespace quantscope {

/// A matrix between two strided arrays; strides in elements.
struct PlaneTransposition {
  std::int64_t rows;          ///< of the target; contiguous in the source
  std::int64_t columns;       ///< of the target, in which they are contiguous
  std::int64_t sourceStride;  ///< from column to column
  std::int64_t targetStride;  ///< from row to row
};

/// target[r · targetStride + c] = source[r + c · sourceStride] for r < rows, c < columns.
/// Elements have `elementBytes` bytes (1, 2, 4, 8); source and target do not overlap.
void transposePlane(const std::byte* source, std::byte* target, std::size_t elementBytes,
                    const PlaneTransposition& plane);

}  // namespace quantscope
