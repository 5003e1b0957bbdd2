#include "kernels/fake_quantize.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "kernels/grid_table.h"
#include "kernels/group_walk.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/fake_quantize.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/round_to_type-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

// The last elements, too few for a vector, take the way through a buffer.
template <class Rounding>
void roundTail(const Rounding& rounding, const float* in, float* out, std::size_t count,
               FloatVector scale, FloatVector low, FloatVector high) {
  const FloatTag d;
  HWY_ALIGN std::array<float, hn::MaxLanes(d)> buffer{};
  std::copy_n(in, count, buffer.data());
  hn::Store(rounding(hn::Load(d, buffer.data()), scale, low, high), d, buffer.data());
  std::copy_n(buffer.data(), count, out);
}

template <class Rounding>
void roundWith(const Rounding& rounding, const float* in, float* out, std::size_t count,
               const GridLimits& grid) {
  const FloatTag d;
  const FloatVector scale = hn::Set(d, grid.scale);
  const FloatVector low = hn::Set(d, grid.low);
  const FloatVector high = hn::Set(d, grid.high);
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::StoreU(rounding(hn::LoadU(d, in + i), scale, low, high), d, out + i);
  }
  if (i < count) roundTail(rounding, in + i, out + i, count - i, scale, low, high);
}

void roundRun(QuantType type, const float* in, float* out, std::size_t count,
              const GridLimits& grid) {
  withRounding(type,
               [&](const auto& rounding) HWY_ATTR { roundWith(rounding, in, out, count, grid); });
}

// Runs of `size` neighbours with a grid each.
void roundGroups(QuantType type, const float* in, float* out, std::size_t count, std::size_t size,
                 const GridTable& grids) {
  withRounding(type, [&](const auto& rounding) HWY_ATTR {
    for (std::size_t i = 0, group = 0; i < count; i += size, ++group) {
      roundWith(rounding, in + i, out + i, std::min(size, count - i), grids[group]);
    }
  });
}

// A grid of its own at each position.
void roundRow(QuantType type, const float* in, float* out, std::size_t count,
              const GridTable& grids) {
  const FloatTag d;
  const float* scale = grids.scale.data();
  const float* low = grids.low.data();
  const float* high = grids.high.data();
  withRounding(type, [&](const auto& rounding) HWY_ATTR {
    std::size_t i = 0;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
      hn::StoreU(rounding(hn::LoadU(d, in + i), hn::LoadU(d, scale + i), hn::LoadU(d, low + i),
                          hn::LoadU(d, high + i)),
                 d, out + i);
    }
    if (i < count) {
      roundTail(rounding, in + i, out + i, count - i, hn::LoadU(d, scale + i),
                hn::LoadU(d, low + i), hn::LoadU(d, high + i));
    }
  });
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(roundRun);
HWY_EXPORT(roundGroups);
HWY_EXPORT(roundRow);

bool copiesOnly(std::span<const float> in, std::span<float> out, QuantType type) {
  if (isQuantized(type)) return false;
  if (in.data() != out.data()) std::copy(in.begin(), in.end(), out.begin());
  return true;
}

}  // namespace

void fakeQuantize(std::span<const float> in, std::span<float> out, const Codes& codes,
                  const Grid& grid) {
  requireSameLength(in.size(), out.size());
  if (copiesOnly(in, out, codes.type)) return;
  HWY_DYNAMIC_DISPATCH(roundRun)
  (codes.type, in.data(), out.data(), in.size(), gridLimits(grid, codes));
}

void fakeQuantizePerChannel(std::span<const float> in, std::span<float> out, ChannelLayout layout,
                            const Codes& codes, std::span<const Grid> grids) {
  requireSameLength(in.size(), out.size());
  requireLayout(layout, in.size(), grids.size());
  if (copiesOnly(in, out, codes.type)) return;
  if (layout.inner > 0 && layout.inner < kShortRun && layout.inner % kWholeVectors == 0) {
    const GridTable table = tableOf(grids, codes);
    const std::size_t width = layout.channels * layout.inner;
    for (std::size_t first = 0; first < in.size(); first += width) {
      HWY_DYNAMIC_DISPATCH(roundGroups)
      (codes.type, in.data() + first, out.data() + first, width, layout.inner, table);
    }
    return;
  }
  if (layout.inner < kShortRun) {
    const GridTable table = expandGrids(layout, grids, codes);
    const std::size_t width = layout.channels * layout.inner;
    for (std::size_t first = 0; first < in.size(); first += width) {
      HWY_DYNAMIC_DISPATCH(roundRow)
      (codes.type, in.data() + first, out.data() + first, width, table);
    }
    return;
  }
  for (std::size_t run = 0; run < layout.outer * layout.channels; ++run) {
    const GridLimits grid = gridLimits(grids[run % layout.channels], codes);
    const std::size_t first = run * layout.inner;
    HWY_DYNAMIC_DISPATCH(roundRun)
    (codes.type, in.data() + first, out.data() + first, layout.inner, grid);
  }
}

void fakeQuantizePerGroup(std::span<const float> in, std::span<float> out, ChannelLayout layout,
                          std::size_t groupSize, const Codes& codes, std::span<const Grid> grids) {
  requireSameLength(in.size(), out.size());
  requireLayout(layout, in.size(), layout.channels);
  requireGroups(layout, groupSize, grids.size());
  if (copiesOnly(in, out, codes.type)) return;
  walkGroups(
      layout, groupSize, grids, codes,
      [&](std::size_t first, std::size_t count, const GridTable& table) {
        HWY_DYNAMIC_DISPATCH(roundRow)
        (codes.type, in.data() + first, out.data() + first, count, table);
      },
      [&](std::size_t first, std::size_t count, const GridTable& table) {
        HWY_DYNAMIC_DISPATCH(roundGroups)
        (codes.type, in.data() + first, out.data() + first, count, groupSize, table);
      });
}

}  // namespace quantscope
#endif
