#include "kernels/codes/grid_split.h"

#include <array>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/codes/grid_split.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QUANTSCOPE_KERNELS_GRID_SPLIT_COLUMNS
#define QUANTSCOPE_KERNELS_GRID_SPLIT_COLUMNS
namespace quantscope {
namespace {

// Grids are read as rows of integers: scale, zero point and threshold.
constexpr std::size_t kColumns = 3;
static_assert(sizeof(Grid) == kColumns * sizeof(std::int32_t));

}  // namespace
}  // namespace quantscope
#endif

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

std::size_t splitVectors(const Grid* grids, std::size_t count, std::int32_t qmin, std::int32_t qmax,
                         const GridColumns& columns) {
  const hn::ScalableTag<std::int32_t> di;
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(di);
  const auto lowest = hn::Set(di, qmin);
  const auto highest = hn::Set(di, qmax);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    HWY_ALIGN std::array<std::int32_t, kColumns * hn::MaxLanes(di)> integers;
    std::memcpy(integers.data(), grids + i, lanes * sizeof(Grid));
    hn::Vec<decltype(di)> scale, zeroPoint, threshold;
    hn::LoadInterleaved3(di, integers.data(), scale, zeroPoint, threshold);
    hn::StoreU(hn::BitCast(d, scale), d, columns.scale + i);
    hn::StoreU(hn::ConvertTo(d, hn::Sub(lowest, zeroPoint)), d, columns.low + i);
    hn::StoreU(hn::ConvertTo(d, hn::Sub(highest, zeroPoint)), d, columns.high + i);
  }
  return i;
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(splitVectors);

}  // namespace

std::size_t splitGrids(std::span<const Grid> grids, std::int32_t qmin, std::int32_t qmax,
                       const GridColumns& columns) {
  return HWY_DYNAMIC_DISPATCH(splitVectors)(grids.data(), grids.size(), qmin, qmax, columns);
}

}  // namespace quantscope
#endif
