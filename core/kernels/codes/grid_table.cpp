#include "kernels/codes/grid_table.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/number_text.h"
#include "kernels/codes/grid_split.h"
#include "kernels/statistics/grid_extremes.h"

namespace quantscope {
namespace {

// Every integer up to 2^24 is a float.
constexpr std::int64_t kExactIntegers = 1 << 24;

// The lanes of the widest vector, 512 bits.
constexpr std::size_t kPadding = 16;

constexpr float kSmallestNormal = std::numeric_limits<float>::min();
constexpr float kLargest = std::numeric_limits<float>::max();

bool isPositiveNormal(float x) {
  return x >= kSmallestNormal && x <= kLargest;
}

bool isMagnitude(float x) {
  return x >= 0 && x <= kLargest;
}

bool isSound(const Grid& grid, const Codes& codes) {
  if (isInteger(codes.type)) {
    const std::int64_t low = std::int64_t{codes.qmin} - grid.zeroPoint;
    const std::int64_t high = std::int64_t{codes.qmax} - grid.zeroPoint;
    return isPositiveNormal(grid.scale) && low <= high && low >= -kExactIntegers &&
           high <= kExactIntegers;
  }
  if (!hasScale(codes.type)) return true;
  if (!isSignCode(codes.type)) return isPositiveNormal(grid.scale);
  return isMagnitude(grid.scale) && isMagnitude(grid.threshold);
}

GridLimits limitsOfSound(const Grid& grid, const Codes& codes) {
  if (isInteger(codes.type)) {
    return {grid.scale, static_cast<float>(codes.qmin - grid.zeroPoint),
            static_cast<float>(codes.qmax - grid.zeroPoint)};
  }
  if (!hasScale(codes.type)) return {};
  return {grid.scale, isSignCode(codes.type) ? grid.threshold : 0, 0};
}

[[noreturn]] void refuse(const Grid& grid, const Codes& codes) {
  const auto fail = [](const std::string& sentence) {
    throw Error(ErrorCode::InvalidParameters, sentence);
  };
  if (isSignCode(codes.type)) {
    fail("the scale " + shortestText(grid.scale) + " or the threshold " +
         shortestText(grid.threshold) + " is not a finite number from 0 up");
  }
  if (!isPositiveNormal(grid.scale)) {
    fail("the scale " + shortestText(grid.scale) + " is not a positive normal number");
  }
  throw Error(ErrorCode::InvalidParameters, "codes from " + std::to_string(codes.qmin) + " to " +
                                                std::to_string(codes.qmax) + " with zero point " +
                                                std::to_string(grid.zeroPoint) + " are no grid");
}

}  // namespace

GridLimits gridLimits(const Grid& grid, const Codes& codes) {
  if (!isSound(grid, codes)) refuse(grid, codes);
  return limitsOfSound(grid, codes);
}

GridLimits gridLimits(const Grid& grid, std::int32_t qmin, std::int32_t qmax) {
  return gridLimits(grid, Codes{QuantType::Int8, qmin, qmax});
}

GridTable::GridTable(std::size_t size)
    : scale(size + kPadding, 1.0F), low(size + kPadding), high(size + kPadding) {}

void GridTable::fill(std::size_t first, std::size_t count, const GridLimits& limits) {
  if (count > kPadding) {
    std::fill_n(scale.data() + first, count, limits.scale);
    std::fill_n(low.data() + first, count, limits.low);
    std::fill_n(high.data() + first, count, limits.high);
    return;
  }
  std::fill_n(scale.data() + first, kPadding, limits.scale);
  std::fill_n(low.data() + first, kPadding, limits.low);
  std::fill_n(high.data() + first, kPadding, limits.high);
}

void GridTable::copy(std::size_t first, const GridTable& other, std::size_t from,
                     std::size_t count) {
  count = std::max(count, kPadding);
  std::copy_n(other.scale.data() + from, count, scale.data() + first);
  std::copy_n(other.low.data() + from, count, low.data() + first);
  std::copy_n(other.high.data() + from, count, high.data() + first);
}

// If the extremes are valid, all grids are valid. Negative floats are the exception: their bits do
// not order like integers. The single grids are checked only to report which one is wrong.
Scales requireSound(std::span<const Grid> grids, const Codes& codes) {
  if (grids.empty()) return Scales::NotTiny;
  const GridExtremes extremes = gridExtremes(grids);
  const auto corner = [&](std::int32_t IntegerExtremes::*end) {
    return Grid{std::bit_cast<float>(extremes.scaleBits.*end), extremes.zeroPoint.*end,
                std::bit_cast<float>(extremes.thresholdBits.*end)};
  };
  const Grid low = corner(&IntegerExtremes::low);
  const Grid high = corner(&IntegerExtremes::high);
  const bool hasSign = extremes.scaleBits.low < 0 || extremes.thresholdBits.low < 0;
  if (hasSign || !isSound(low, codes) || !isSound(high, codes)) {
    for (const Grid& grid : grids) gridLimits(grid, codes);
  }
  return low.scale < kTinyScale ? Scales::Any : Scales::NotTiny;
}

// Uses copies of all inputs of the loop, so that its stores cannot change them.
void setLimits(std::span<const Grid> grids, const Codes& codes, GridTable& table) {
  const Codes own = codes;
  float* scale = table.scale.data();
  float* low = table.low.data();
  float* high = table.high.data();
  std::size_t done = 0;
  if (isInteger(codes.type)) {
    done = splitGrids(grids, codes.qmin, codes.qmax, {scale, low, high});
  }
  for (std::size_t i = done; i < grids.size(); ++i) {
    const GridLimits limits = limitsOfSound(grids[i], own);
    scale[i] = limits.scale;
    low[i] = limits.low;
    high[i] = limits.high;
  }
}

GridTable tableOf(std::span<const Grid> grids, const Codes& codes) {
  requireSound(grids, codes);
  GridTable table(grids.size());
  setLimits(grids, codes, table);
  return table;
}

GridTable expandGrids(const ChannelLayout& layout, std::span<const Grid> grids,
                      const Codes& codes) {
  requireSound(grids, codes);
  return expandSoundGrids(layout, grids, codes);
}

GridTable expandSoundGrids(const ChannelLayout& layout, std::span<const Grid> grids,
                           const Codes& codes) {
  GridTable table(grids.size() * layout.inner);
  if (layout.inner == 1) {
    setLimits(grids, codes, table);
    return table;
  }
  for (std::size_t i = 0; i < grids.size(); ++i) {
    table.fill(i * layout.inner, layout.inner, limitsOfSound(grids[i], codes));
  }
  return table;
}

GridTable expandGrids(const ChannelLayout& layout, std::span<const Grid> grids, std::int32_t qmin,
                      std::int32_t qmax) {
  return expandGrids(layout, grids, Codes{QuantType::Int8, qmin, qmax});
}

}  // namespace quantscope
