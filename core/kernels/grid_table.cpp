#include "kernels/grid_table.h"

#include <cmath>
#include <string>

#include "base/error.h"

namespace quantscope {
namespace {

// Every integer up to 2^24 is a float.
constexpr std::int64_t kExactIntegers = 1 << 24;

// The lanes of the widest vector, 512 bits.
constexpr std::size_t kPadding = 16;

void requireScale(float scale) {
  if (std::isnormal(scale) && scale > 0) return;
  throw Error(ErrorCode::InvalidParameters,
              "the scale " + std::to_string(scale) + " is not a positive normal number");
}

void requireMagnitude(const char* what, float magnitude) {
  if (std::isfinite(magnitude) && magnitude >= 0) return;
  throw Error(ErrorCode::InvalidParameters, std::string("the ") + what + " " +
                                                std::to_string(magnitude) +
                                                " is not a finite number from 0 up");
}

}  // namespace

GridLimits gridLimits(const Grid& grid, std::int32_t qmin, std::int32_t qmax) {
  requireScale(grid.scale);
  const std::int64_t low = std::int64_t{qmin} - grid.zeroPoint;
  const std::int64_t high = std::int64_t{qmax} - grid.zeroPoint;
  if (low > high || low < -kExactIntegers || high > kExactIntegers) {
    throw Error(ErrorCode::InvalidParameters, "codes from " + std::to_string(qmin) + " to " +
                                                  std::to_string(qmax) + " with zero point " +
                                                  std::to_string(grid.zeroPoint) + " are no grid");
  }
  return {grid.scale, static_cast<float>(low), static_cast<float>(high)};
}

GridLimits gridLimits(const Grid& grid, const Codes& codes) {
  if (isInteger(codes.type)) return gridLimits(grid, codes.qmin, codes.qmax);
  if (!hasScale(codes.type)) return {};
  if (!isSignCode(codes.type)) {
    requireScale(grid.scale);
    return {grid.scale, 0, 0};
  }
  requireMagnitude("scale", grid.scale);
  requireMagnitude("threshold", grid.threshold);
  return {grid.scale, grid.threshold, 0};
}

void GridTable::reserve(std::size_t size) {
  scale.reserve(size + kPadding);
  low.reserve(size + kPadding);
  high.reserve(size + kPadding);
}

void GridTable::clear() {
  scale.clear();
  low.clear();
  high.clear();
}

void GridTable::append(const GridLimits& limits, std::size_t count) {
  scale.insert(scale.end(), count, limits.scale);
  low.insert(low.end(), count, limits.low);
  high.insert(high.end(), count, limits.high);
}

void GridTable::append(const GridTable& other, std::size_t first, std::size_t count) {
  const auto copy = [&](std::vector<float>& to, const std::vector<float>& from) {
    to.insert(to.end(), from.data() + first, from.data() + first + count);
  };
  copy(scale, other.scale);
  copy(low, other.low);
  copy(high, other.high);
}

void GridTable::pad() {
  append(GridLimits{}, kPadding);
}

GridTable tableOf(std::span<const Grid> grids, const Codes& codes) {
  return expandGrids({1, grids.size(), 1}, grids, codes);
}

GridTable expandGrids(const ChannelLayout& layout, std::span<const Grid> grids,
                      const Codes& codes) {
  GridTable table;
  table.reserve(grids.size() * layout.inner);
  for (const Grid& grid : grids) table.append(gridLimits(grid, codes), layout.inner);
  table.pad();
  return table;
}

GridTable expandGrids(const ChannelLayout& layout, std::span<const Grid> grids, std::int32_t qmin,
                      std::int32_t qmax) {
  return expandGrids(layout, grids, Codes{QuantType::Int8, qmin, qmax});
}

}  // namespace quantscope
