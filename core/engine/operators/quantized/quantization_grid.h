#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Scale and zero point of a tensor as QuantizeLinear and DequantizeLinear take them: one pair, one
/// per index of an axis, or one per block of an axis and index of all others.
class QuantizationGrid {
 public:
  /// The grid for a tensor of that shape. Throws InvalidParameters where scale (float32) and zero
  /// point (undefined = 0) fit neither it nor each other.
  QuantizationGrid(const Shape& shape, const Tensor& scale, const Tensor& zeroPoint,
                   std::int64_t axis, std::int64_t blockSize);

  bool perTensor() const { return m_scales.size() == 1; }

  /// Calls visit(first, count, scale, zero point) for every run of neighbouring elements,
  /// row-major, that share a pair.
  template <class Visit>
  void forEachRun(const Visit& visit) const {
    for (std::size_t i = 0; i * m_run < m_count; ++i) {
      const std::size_t pair = pairOf(i);
      visit(i * m_run, m_run, m_scales[pair], m_zeroPoints[pair]);
    }
  }

 private:
  std::size_t pairOf(std::size_t run) const;

  std::span<const float> m_scales;
  std::vector<std::int32_t> m_zeroPoints;
  std::size_t m_count;           // elements of the tensor
  std::size_t m_run;             // neighbours that share a pair
  std::size_t m_extent = 1;      // runs along the axis
  std::size_t m_block = 1;       // of which so many share a pair
  std::size_t m_inner = 1;       // runs behind the axis, each with its own pair
  std::size_t m_outerPairs = 0;  // pairs per index in front of the axis
};

/// The codes of a zero point as int32; they must be of an integer type.
std::vector<std::int32_t> zeroPointValues(const Tensor& zeroPoint);

}  // namespace quantscope
