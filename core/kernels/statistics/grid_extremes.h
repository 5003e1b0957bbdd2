#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "quant/quant_params.h"

namespace quantscope {

/// The smallest and largest of a column of integers. Empty until something was included.
struct IntegerExtremes {
  std::int32_t low = std::numeric_limits<std::int32_t>::max();
  std::int32_t high = std::numeric_limits<std::int32_t>::min();

  void include(std::int32_t value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// The extremes of many grids. Floats are compared as the integers that have their bits: those
/// from 0 up order like the floats, NaN comes above infinity, and all that have a sign lie below
/// 0.
struct GridExtremes {
  IntegerExtremes scaleBits;
  IntegerExtremes zeroPoint;
  IntegerExtremes thresholdBits;
};

GridExtremes gridExtremes(std::span<const Grid> grids);

}  // namespace quantscope
