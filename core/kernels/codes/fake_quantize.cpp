#include "kernels/codes/fake_quantize.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <type_traits>

#include "kernels/codes/grid_table.h"
#include "kernels/group_walk.h"
#include "kernels/streaming.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/codes/fake_quantize.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/codes/round_to_type-inl.h"

#ifndef QUANTSCOPE_KERNELS_FAKE_QUANTIZE_WAY
#define QUANTSCOPE_KERNELS_FAKE_QUANTIZE_WAY
namespace quantscope {
namespace {

// Prefetch distance in grids: half a page.
constexpr std::size_t kGridsAhead = 2048 / sizeof(Grid);

// The way in which a call runs; the result is the same.
struct Way {
  Scales scales = Scales::Any;
  bool streams = false;
};

}  // namespace
}  // namespace quantscope
#endif

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

// Up to the first address that a vector can be streamed to.
std::size_t floatsBeforeVector(const float* out) {
  const std::size_t lanes = hn::Lanes(FloatTag());
  return (lanes - reinterpret_cast<std::uintptr_t>(out) / sizeof(float) % lanes) % lanes;
}

// Rounds fewer elements than a vector has, through a buffer.
template <class Rounded>
void roundFew(const Rounded& rounded, const float* in, float* out, std::size_t count) {
  const FloatTag d;
  HWY_ALIGN std::array<float, hn::MaxLanes(d)> buffer{};
  std::copy_n(in, count, buffer.data());
  hn::Store(rounded(hn::Load(d, buffer.data())), d, buffer.data());
  std::copy_n(buffer.data(), count, out);
}

// One grid in all lanes.
template <class Rounding>
struct RunGrid {
  RunGrid(const Grid& grid, const Codes& codes) {
    const FloatTag d;
    scale = hn::Set(d, grid.scale);
    if constexpr (Rounding::kHasCodeLimits) {
      const IntTag di;
      const IntVector zeroPoint = hn::Set(di, grid.zeroPoint);
      low = hn::ConvertTo(d, hn::Sub(hn::Set(di, codes.qmin), zeroPoint));
      high = hn::ConvertTo(d, hn::Sub(hn::Set(di, codes.qmax), zeroPoint));
    } else {
      low = high = hn::Set(d, grid.threshold);
    }
  }

  FloatVector operator()(FloatVector x) const { return Rounding()(x, scale, low, high); }

  FloatVector scale;
  FloatVector low;
  FloatVector high;
};

template <class Rounding>
void roundRun(const float* in, float* out, std::size_t count, const RunGrid<Rounding>& rounded) {
  const FloatTag d;
  const std::size_t lanes = hn::Lanes(d);
  if (count < lanes) return roundFew(rounded, in, out, count);
  // The last vector may overlap the one before; in place, its numbers must be read before that one
  // is written.
  const FloatVector last = hn::LoadU(d, in + count - lanes);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(rounded(hn::LoadU(d, in + i)), d, out + i);
  if (i < count) hn::StoreU(rounded(last), d, out + count - lanes);
}

// Never in place, so that the loop need not wait for the far end of the run.
template <class Rounding>
void streamRun(const float* in, float* out, std::size_t count, const RunGrid<Rounding>& rounded) {
  const FloatTag d;
  const std::size_t lanes = hn::Lanes(d);
  if (count < lanes) return roundFew(rounded, in, out, count);
  std::size_t i = floatsBeforeVector(out);
  if (i > 0) roundFew(rounded, in, out, i);
  for (; i + lanes <= count; i += lanes) {
    hwy::Prefetch(in + i + kPrefetchAhead);
    hn::Stream(rounded(hn::LoadU(d, in + i)), d, out + i);
  }
  const std::size_t last = count - lanes;
  if (i < count) hn::StoreU(rounded(hn::LoadU(d, in + last)), d, out + last);
}

// Runs that vectors fill, with a grid each: short ones have no time for the care that others need.
template <bool streams, class Rounding>
void roundWholeRuns(const float* in, float* out, std::size_t count, std::size_t size,
                    const Codes& codes, const Grid* grids) {
  const FloatTag d;
  for (std::size_t first = 0; first < count; first += size) {
    hwy::Prefetch(grids + kGridsAhead);
    const RunGrid<Rounding> rounded(*grids++, codes);
    for (std::size_t i = first; i < first + size; i += hn::Lanes(d)) {
      if constexpr (streams) {
        hwy::Prefetch(in + i + kPrefetchAhead);
        hn::Stream(rounded(hn::LoadU(d, in + i)), d, out + i);
      } else {
        hn::StoreU(rounded(hn::LoadU(d, in + i)), d, out + i);
      }
    }
  }
}

// Runs of `size` neighbours with a grid each.
void roundRuns(const float* in, float* out, std::size_t count, std::size_t size, const Codes& codes,
               const Grid* grids, const Way& way) {
  const bool whole = count > 0 && count % size == 0 && size % hn::Lanes(FloatTag()) == 0 &&
                     size < kLongRun && !(way.streams && floatsBeforeVector(out) > 0);
  withRounding(codes.type, way.scales, [&](const auto& rounding) HWY_ATTR {
    using Rounding = std::remove_cvref_t<decltype(rounding)>;
    if (whole) {
      way.streams ? roundWholeRuns<true, Rounding>(in, out, count, size, codes, grids)
                  : roundWholeRuns<false, Rounding>(in, out, count, size, codes, grids);
      return;
    }
    for (std::size_t i = 0; i < count; i += size) {
      const RunGrid<Rounding> grid(*grids++, codes);
      const std::size_t length = std::min(size, count - i);
      way.streams ? streamRun(in + i, out + i, length, grid)
                  : roundRun(in + i, out + i, length, grid);
    }
  });
}

template <class Rounded>
void roundRow(const Rounded& rounded, const float* in, float* out, std::size_t width,
              bool streams) {
  const FloatTag d;
  std::size_t i = 0;
  if (streams && floatsBeforeVector(out) == 0) {
    for (; i + hn::Lanes(d) <= width; i += hn::Lanes(d)) {
      hwy::Prefetch(in + i + kPrefetchAhead);
      hn::Stream(rounded(hn::LoadU(d, in + i), i), d, out + i);
    }
  }
  for (; i + hn::Lanes(d) <= width; i += hn::Lanes(d)) {
    hn::StoreU(rounded(hn::LoadU(d, in + i), i), d, out + i);
  }
  if (i == width) return;
  roundFew([&](FloatVector x) HWY_ATTR { return rounded(x, i); }, in + i, out + i, width - i);
}

// Rows of `width` with a grid of its own at each position.
void roundRows(QuantType type, const float* in, float* out, std::size_t count, std::size_t width,
               const GridTable& grids, const Way& way) {
  const FloatTag d;
  const float* scale = grids.scale.data();
  const float* low = grids.low.data();
  const float* high = grids.high.data();
  withRounding(type, way.scales, [&](const auto& rounding) HWY_ATTR {
    const auto rounded = [&](FloatVector x, std::size_t i) HWY_ATTR {
      return rounding(x, hn::LoadU(d, scale + i), hn::LoadU(d, low + i), hn::LoadU(d, high + i));
    };
    for (std::size_t first = 0; first < count; first += width) {
      roundRow(rounded, in + first, out + first, width, way.streams);
    }
  });
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(roundRuns);
HWY_EXPORT(roundRows);

bool copiesOnly(std::span<const float> in, std::span<float> out, QuantType type) {
  if (isQuantized(type)) return false;
  if (in.data() != out.data()) std::copy(in.begin(), in.end(), out.begin());
  return true;
}

// Streamed stores of runs that begin or end amid a cache line cost more than they save, unless the
// runs are long. Runs begin at multiples of `step`.
bool isStreamed(std::span<const float> in, std::span<float> out, std::size_t run,
                std::size_t step) {
  if (out.size_bytes() < kStreamedBytes || in.data() == out.data()) return false;
  const bool aligned = reinterpret_cast<std::uintptr_t>(out.data()) % kCacheLine == 0 &&
                       step * sizeof(float) % kCacheLine == 0;
  return aligned || run >= kLongRun;
}

void roundRunsOf(std::span<const float> in, std::span<float> out, std::size_t run,
                 const Codes& codes, const Grid* grids, const Way& way) {
  HWY_DYNAMIC_DISPATCH(roundRuns)(in.data(), out.data(), in.size(), run, codes, grids, way);
}

}  // namespace

void fakeQuantize(std::span<const float> in, std::span<float> out, const Codes& codes,
                  const Grid& grid) {
  requireSameLength(in.size(), out.size());
  if (copiesOnly(in, out, codes.type)) return;
  const Way way{requireSound({&grid, 1}, codes), isStreamed(in, out, in.size(), in.size())};
  roundRunsOf(in, out, in.size(), codes, &grid, way);
  if (way.streams) hwy::FlushStream();
}

void fakeQuantizePerChannel(std::span<const float> in, std::span<float> out, ChannelLayout layout,
                            const Codes& codes, std::span<const Grid> grids) {
  requireSameLength(in.size(), out.size());
  requireLayout(layout, in.size(), grids.size());
  if (copiesOnly(in, out, codes.type)) return;
  const bool inRuns = layout.inner >= kShortRun || layout.inner == kWholeVectors;
  const std::size_t width = layout.channels * layout.inner;
  const std::size_t run = inRuns ? layout.inner : width;
  const Way way{requireSound(grids, codes), isStreamed(in, out, run, run)};
  if (inRuns) {
    for (std::size_t first = 0; first < in.size(); first += width) {
      roundRunsOf(in.subspan(first, width), out.subspan(first, width), layout.inner, codes,
                  grids.data(), way);
    }
  } else {
    const GridTable table = expandSoundGrids(layout, grids, codes);
    HWY_DYNAMIC_DISPATCH(roundRows)
    (codes.type, in.data(), out.data(), in.size(), width, table, way);
  }
  if (way.streams) hwy::FlushStream();
}

void fakeQuantizePerGroup(std::span<const float> in, std::span<float> out, ChannelLayout layout,
                          std::size_t groupSize, const Codes& codes, std::span<const Grid> grids) {
  requireSameLength(in.size(), out.size());
  requireLayout(layout, in.size(), layout.channels);
  requireGroups(layout, groupSize, grids.size());
  if (copiesOnly(in, out, codes.type)) return;
  const std::size_t step =
      layout.outer == 1 ? kWholeVectors : std::gcd(layout.channels, kWholeVectors);
  const Way way{requireSound(grids, codes), isStreamed(in, out, groupSize, step)};
  if (hasVectorGroups(layout, groupSize)) {
    const std::size_t groups = groupsAlong(layout, groupSize);
    for (std::size_t o = 0; o < layout.outer; ++o) {
      roundRunsOf(in.subspan(o * layout.channels, layout.channels),
                  out.subspan(o * layout.channels, layout.channels), groupSize, codes,
                  grids.data() + o * groups, way);
    }
  } else {
    walkGroupRows(layout, groupSize, grids, codes,
                  [&](std::size_t first, std::size_t count, const GridTable& table) {
                    HWY_DYNAMIC_DISPATCH(roundRows)
                    (codes.type, in.data() + first, out.data() + first, count, count, table, way);
                  });
  }
  if (way.streams) hwy::FlushStream();
}

}  // namespace quantscope
#endif
