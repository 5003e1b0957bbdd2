#include "quant/quant_params.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/number_text.h"

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

// Rounds twice in the PyTorch convention, like PyTorch, if the width is finite as a float.
float stepOf(float low, float high, std::int32_t qmin, std::int32_t qmax, Convention convention) {
  const double steps = double(qmax) - qmin;
  const double width = static_cast<double>(high) - low;
  const auto rounded = static_cast<float>(width);
  const bool twice = convention == Convention::PyTorch && std::isfinite(rounded);
  return static_cast<float>((twice ? static_cast<double>(rounded) : width) / steps);
}

Grid asymmetricGrid(float low, float high, std::int32_t qmin, std::int32_t qmax,
                    Convention convention) {
  low = std::min(low, 0.0F);
  high = std::max(high, 0.0F);
  const float scale = std::max(stepOf(low, high, qmin, qmax, convention), scaleFloor(convention));
  const double zeroPoint = qmin - std::nearbyint(static_cast<double>(low / scale));
  return {scale, static_cast<std::int32_t>(std::clamp<double>(zeroPoint, qmin, qmax))};
}

// Between the largest number of a float format and the one before it.
float lastStep(QuantType type) {
  return std::ldexp(1.0F, std::ilogb(largestNumber(type)) - mantissaBits(type));
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
  if (!isInteger(type)) {
    const float largest = isSignCode(type) ? grid.scale : largestNumber(type) * grid.scale;
    return {-largest, largest, false};
  }
  return {static_cast<float>(qmin - grid.zeroPoint) * grid.scale,
          static_cast<float>(qmax - grid.zeroPoint) * grid.scale, false};
}

Range QuantParams::unclipped(const Grid& grid) const {
  const Range range = representable(grid);
  const float margin = isFloatFormat(type) ? lastStep(type) * grid.scale / 2 : grid.scale / 2;
  return {range.low - margin, range.high + margin, false};
}

namespace {

void requireFinite(const Range& range) {
  if (!range.empty && std::isfinite(range.low) && std::isfinite(range.high) &&
      range.low <= range.high) {
    return;
  }
  throw Error(ErrorCode::InvalidRange, "the range [" + shortestText(range.low) + ", " +
                                           shortestText(range.high) + "] cannot be quantized");
}

float absmaxOf(const Range& range) {
  return std::max(std::abs(range.low), std::abs(range.high));
}

}  // namespace

Grid gridFromRange(const Range& range, bool symmetric, std::int32_t qmin, std::int32_t qmax,
                   Convention convention) {
  requireFinite(range);
  if (!symmetric) return asymmetricGrid(range.low, range.high, qmin, qmax, convention);
  return symmetricGrid(absmaxOf(range), qmin, qmax, convention);
}

Grid gridFromRange(const Range& range, const QuantParams& params) {
  if (isInteger(params.type)) {
    return gridFromRange(range, params.symmetric, params.qmin, params.qmax, params.convention);
  }
  requireFinite(range);
  if (!hasScale(params.type)) return {};
  const float absmax = absmaxOf(range);
  if (params.type == QuantType::Ternary) return {absmax, 0, absmax / 2};
  if (params.type == QuantType::Binary) return {absmax, 0, 0};
  return {std::max(absmax / largestNumber(params.type), scaleFloor(params.convention)), 0, 0};
}

}  // namespace quantscope
