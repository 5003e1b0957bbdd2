#include "kernels/statistics/grid_extremes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "kernels/streaming.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/statistics/grid_extremes.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QUANTSCOPE_KERNELS_GRID_EXTREMES_COLUMNS
#define QUANTSCOPE_KERNELS_GRID_EXTREMES_COLUMNS
namespace quantscope {
namespace {

// Grids are read as rows of integers.
constexpr std::size_t kColumns = 3;
static_assert(sizeof(Grid) == kColumns * sizeof(std::int32_t));

// A number of grids that fills whole vectors of any width.
constexpr std::size_t kGridsAtOnce = 16;
using Integers = std::array<std::int32_t, kColumns * kGridsAtOnce>;

// Position i of every `kGridsAtOnce` grids is one of column i mod 3.
struct PositionExtremes {
  PositionExtremes() {
    low.fill(IntegerExtremes().low);
    high.fill(IntegerExtremes().high);
  }

  alignas(64) Integers low;
  alignas(64) Integers high;
};

}  // namespace
}  // namespace quantscope
#endif

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void includeGrids(const Grid* grids, std::size_t blocks, PositionExtremes& extremes) {
  const hn::ScalableTag<std::int32_t> d;
  for (std::size_t block = 0; block < blocks; ++block) {
    alignas(64) Integers integers;
    const auto* bytes = reinterpret_cast<const char*>(grids + block * kGridsAtOnce);
    for (std::size_t i = 0; i < sizeof integers; i += kCacheLine) {
      hwy::Prefetch(bytes + i + kPrefetchAhead * sizeof(float));
    }
    std::memcpy(integers.data(), bytes, sizeof integers);
    for (std::size_t i = 0; i < integers.size(); i += hn::Lanes(d)) {
      const auto values = hn::Load(d, integers.data() + i);
      hn::Store(hn::Min(values, hn::Load(d, extremes.low.data() + i)), d, extremes.low.data() + i);
      hn::Store(hn::Max(values, hn::Load(d, extremes.high.data() + i)), d,
                extremes.high.data() + i);
    }
  }
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(includeGrids);

}  // namespace

GridExtremes gridExtremes(std::span<const Grid> grids) {
  std::array<IntegerExtremes, kColumns> columns;
  const std::size_t blocks = grids.size() / kGridsAtOnce;
  if (blocks > 0) {
    PositionExtremes positions;
    HWY_DYNAMIC_DISPATCH(includeGrids)(grids.data(), blocks, positions);
    for (std::size_t i = 0; i < positions.low.size(); ++i) {
      columns[i % kColumns].include(positions.low[i]);
      columns[i % kColumns].include(positions.high[i]);
    }
  }
  for (const Grid& grid : grids.subspan(blocks * kGridsAtOnce)) {
    std::array<std::int32_t, kColumns> values;
    std::memcpy(values.data(), &grid, sizeof grid);
    for (std::size_t c = 0; c < kColumns; ++c) columns[c].include(values[c]);
  }
  return {columns[0], columns[1], columns[2]};
}

}  // namespace quantscope
#endif
