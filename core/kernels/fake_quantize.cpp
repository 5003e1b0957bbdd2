#include "kernels/fake_quantize.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernels/grid_table.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/fake_quantize.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/divide_by_scale-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;

FloatVector roundToGrid(FloatVector x, FloatVector scale, FloatVector low, FloatVector high) {
  const FloatTag d;
  const FloatVector steps = hn::Round(divideByScale(x, scale));
  const FloatVector clamped = hn::Min(hn::Max(steps, low), high);
  // Codes are integers and know no −0; −0 + 0 = 0.
  const FloatVector real = hn::Mul(hn::Add(clamped, hn::Zero(d)), scale);
  return hn::IfThenElse(hn::IsNaN(x), x, real);
}

// The last elements, too few for a vector, take the way through a buffer.
void roundTail(const float* in, float* out, std::size_t count, FloatVector scale, FloatVector low,
               FloatVector high) {
  const FloatTag d;
  HWY_ALIGN std::array<float, hn::MaxLanes(d)> buffer{};
  std::copy_n(in, count, buffer.data());
  hn::Store(roundToGrid(hn::Load(d, buffer.data()), scale, low, high), d, buffer.data());
  std::copy_n(buffer.data(), count, out);
}

void roundRun(const float* in, float* out, std::size_t count, const GridLimits& grid) {
  const FloatTag d;
  const FloatVector scale = hn::Set(d, grid.scale);
  const FloatVector low = hn::Set(d, grid.low);
  const FloatVector high = hn::Set(d, grid.high);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::StoreU(roundToGrid(hn::LoadU(d, in + i), scale, low, high), d, out + i);
  }
  if (i < count) roundTail(in + i, out + i, count - i, scale, low, high);
}

// One row with a grid of its own at each position.
void roundRow(const float* in, float* out, std::size_t count, const GridTable& grids) {
  const FloatTag d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::StoreU(roundToGrid(hn::LoadU(d, in + i), hn::LoadU(d, grids.scale.data() + i),
                           hn::LoadU(d, grids.low.data() + i), hn::LoadU(d, grids.high.data() + i)),
               d, out + i);
  }
  if (i < count) {
    roundTail(in + i, out + i, count - i, hn::LoadU(d, grids.scale.data() + i),
              hn::LoadU(d, grids.low.data() + i), hn::LoadU(d, grids.high.data() + i));
  }
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(roundRun);
HWY_EXPORT(roundRow);

void roundShortRuns(const float* in, float* out, const ChannelLayout& layout,
                    const GridTable& grids) {
  const std::size_t width = layout.channels * layout.inner;
  for (std::size_t o = 0; o < layout.outer; ++o) {
    HWY_DYNAMIC_DISPATCH(roundRow)(in + o * width, out + o * width, width, grids);
  }
}

}  // namespace

void fakeQuantize(std::span<const float> in, std::span<float> out, const Grid& grid,
                  std::int32_t qmin, std::int32_t qmax) {
  requireSameLength(in.size(), out.size());
  HWY_DYNAMIC_DISPATCH(roundRun)(in.data(), out.data(), in.size(), gridLimits(grid, qmin, qmax));
}

void fakeQuantizePerChannel(std::span<const float> in, std::span<float> out, ChannelLayout layout,
                            std::span<const Grid> grids, std::int32_t qmin, std::int32_t qmax) {
  requireSameLength(in.size(), out.size());
  requireLayout(layout, in.size(), grids.size());
  if (layout.inner < kShortRun) {
    roundShortRuns(in.data(), out.data(), layout, expandGrids(layout, grids, qmin, qmax));
    return;
  }
  for (std::size_t run = 0; run < layout.outer * layout.channels; ++run) {
    const GridLimits grid = gridLimits(grids[run % layout.channels], qmin, qmax);
    const std::size_t first = run * layout.inner;
    HWY_DYNAMIC_DISPATCH(roundRun)(in.data() + first, out.data() + first, layout.inner, grid);
  }
}

}  // namespace quantscope
#endif
