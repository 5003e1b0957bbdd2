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

}  // namespace

GridLimits gridLimits(const Grid& grid, std::int32_t qmin, std::int32_t qmax) {
  if (!std::isnormal(grid.scale) || grid.scale < 0) {
    throw Error(ErrorCode::InvalidParameters,
                "the scale " + std::to_string(grid.scale) + " is not a positive normal number");
  }
  const std::int64_t low = std::int64_t{qmin} - grid.zeroPoint;
  const std::int64_t high = std::int64_t{qmax} - grid.zeroPoint;
  if (low > high || low < -kExactIntegers || high > kExactIntegers) {
    throw Error(ErrorCode::InvalidParameters, "codes from " + std::to_string(qmin) + " to " +
                                                  std::to_string(qmax) + " with zero point " +
                                                  std::to_string(grid.zeroPoint) + " are no grid");
  }
  return {grid.scale, static_cast<float>(low), static_cast<float>(high)};
}

GridTable expandGrids(const ChannelLayout& layout, std::span<const Grid> grids, std::int32_t qmin,
                      std::int32_t qmax) {
  GridTable table;
  const std::size_t size = layout.channels * layout.inner + kPadding;
  table.scale.reserve(size);
  table.low.reserve(size);
  table.high.reserve(size);
  for (const Grid& grid : grids) {
    const GridLimits limits = gridLimits(grid, qmin, qmax);
    table.scale.insert(table.scale.end(), layout.inner, limits.scale);
    table.low.insert(table.low.end(), layout.inner, limits.low);
    table.high.insert(table.high.end(), layout.inner, limits.high);
  }
  table.scale.resize(size, 1.0F);
  table.low.resize(size);
  table.high.resize(size);
  return table;
}

}  // namespace quantscope
