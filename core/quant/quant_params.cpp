#include "quant/quant_params.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"

namespace quantscope {
namespace {

float scaleFloor(Convention convention) {
  return convention == Convention::PyTorch ? std::numeric_limits<float>::epsilon()
                                           : std::numeric_limits<float>::min();
}

Grid symmetricGrid(float absmax, std::int32_t qmin, std::int32_t qmax, Convention convention) {
  const bool isSigned = qmin < 0;
  const std::int32_t zeroPoint = isSigned ? 0 : (qmin + qmax + 1) / 2;
  const double steps =
      convention == Convention::PyTorch ? (double(qmax) - qmin) / 2 : double(qmax) - zeroPoint;
  const auto scale = static_cast<float>(absmax / steps);
  return {std::max(scale, scaleFloor(convention)), zeroPoint};
}

Grid asymmetricGrid(float low, float high, std::int32_t qmin, std::int32_t qmax,
                    Convention convention) {
  low = std::min(low, 0.0F);
  high = std::max(high, 0.0F);
  const double width = (static_cast<double>(high) - low) / (double(qmax) - qmin);
  const float scale = std::max(static_cast<float>(width), scaleFloor(convention));
  const double zeroPoint = qmin - std::nearbyint(static_cast<double>(low / scale));
  return {scale, static_cast<std::int32_t>(std::clamp<double>(zeroPoint, qmin, qmax))};
}

}  // namespace

void Range::include(float value) {
  low = empty ? value : std::min(low, value);
  high = empty ? value : std::max(high, value);
  empty = false;
}

void Range::include(const Range& other) {
  if (other.empty) return;
  include(other.low);
  include(other.high);
}

Range QuantParams::representable(const Grid& grid) const {
  return {static_cast<float>(qmin - grid.zeroPoint) * grid.scale,
          static_cast<float>(qmax - grid.zeroPoint) * grid.scale, false};
}

Grid gridFromRange(const Range& range, bool symmetric, std::int32_t qmin, std::int32_t qmax,
                   Convention convention) {
  if (range.empty || !std::isfinite(range.low) || !std::isfinite(range.high) ||
      range.low > range.high) {
    throw Error(ErrorCode::InvalidRange, "the range [" + std::to_string(range.low) + ", " +
                                             std::to_string(range.high) + "] cannot be quantized");
  }
  if (!symmetric) return asymmetricGrid(range.low, range.high, qmin, qmax, convention);
  const float absmax = std::max(std::abs(range.low), std::abs(range.high));
  return symmetricGrid(absmax, qmin, qmax, convention);
}

}  // namespace quantscope
