#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace quantscope {

/// Codes minus their zero points, as the 9-bit numbers they are.
using Deviations = std::vector<std::int16_t>;

/// y[i, j] = Σ a[i, p] · b[j, p] for a [m, k] and b [n, k]; wraps where int32 overflows.
void multiplyDeviations(const std::int16_t* a, const std::int16_t* b, std::int32_t* y,
                        std::int64_t m, std::int64_t n, std::int64_t k);

/// The zero points of an operand of 8-bit codes, one for all or one per row or column.
class ZeroPoints {
 public:
  /// `zeroPoint` undefined = 0. Throws InvalidParameters unless it holds 1 or `count` codes.
  ZeroPoints(const Tensor& zeroPoint, std::int64_t count, const char* what);
  std::int32_t at(std::int64_t index) const {
    return m_values[m_values.size() == 1 ? 0 : static_cast<std::size_t>(index)];
  }

 private:
  std::vector<std::int32_t> m_values;
};

/// The 8-bit codes of a tensor as int16. Throws UnsupportedType for any other type.
Deviations widenedCodes(const Tensor& codes);

/// How the int32 result becomes codes: round(acc · x scale · w scale / y scale) + zero point.
class Requantization {
 public:
  /// `weightScale` holds 1 or `columns` scales. Throws InvalidParameters otherwise.
  Requantization(const Tensor& inputScale, const Tensor& weightScale, const Tensor& outputScale,
                 const Tensor& outputZeroPoint, std::int64_t columns);

  /// Rows of `columns` accumulators each, to codes of the output zero point's type; `y` has them
  /// in the same order.
  void apply(std::span<const std::int32_t> accumulators, Tensor& y) const;

  ElementType type() const { return m_type; }

 private:
  std::vector<float> m_factors;  // per column
  std::int32_t m_zeroPoint;
  ElementType m_type;
};

}  // namespace quantscope
