// The search runs on integers: with its lower 31 bits flipped where the sign is set, a float's bit
// pattern orders as the float does. Unlike a comparison of floats this depends neither on how the
// floating-point unit treats denormals nor on the order of 0 and −0.
#include "kernels/statistics/min_max.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/statistics/min_max_keys.h"
#include "kernels/streaming.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/statistics/min_max.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QUANTSCOPE_KERNELS_MIN_MAX_PIECE
#define QUANTSCOPE_KERNELS_MIN_MAX_PIECE
namespace quantscope {
namespace {

// Elements that are gone through again where one of them is not finite: they are still in the
// cache. The end of each piece is read first, which has memory fetch two places at a time: with
// pieces of half a page that was the quickest.
constexpr std::size_t kPiece = 512;

}  // namespace
}  // namespace quantscope
#endif

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using IntTag = hn::ScalableTag<std::int32_t>;
using IntVector = hn::Vec<IntTag>;

struct KeyVectors {
  IntVector min;
  IntVector max;
  IntVector nonFinite;
};

void include(KeyVectors& range, const float* in) {
  const IntTag d;
  const IntVector bits = hn::BitCast(d, hn::LoadU(hn::ScalableTag<float>(), in));
  const auto nonFinite =
      hn::Gt(hn::And(bits, hn::Set(d, 0x7FFFFFFF)), hn::Set(d, MinMaxKeys::kHighest));
  const IntVector flip = hn::And(hn::ShiftRight<31>(bits), hn::Set(d, 0x7FFFFFFF));
  const IntVector key = hn::Xor(bits, flip);
  range.min = hn::Min(range.min, hn::IfThenElse(nonFinite, hn::Set(d, MinMaxKeys::kHighest), key));
  range.max = hn::Max(range.max, hn::IfThenElse(nonFinite, hn::Set(d, MinMaxKeys::kLowest), key));
  range.nonFinite = hn::Sub(range.nonFinite, hn::VecFromMask(d, nonFinite));
}

IntVector keysOf(const float* in) {
  const IntTag d;
  const IntVector bits = hn::BitCast(d, hn::LoadU(hn::ScalableTag<float>(), in));
  return hn::Xor(bits, hn::And(hn::ShiftRight<31>(bits), hn::Set(d, 0x7FFFFFFF)));
}

void foldLanes(const KeyVectors& range, MinMaxKeys& result) {
  const IntTag d;
  HWY_ALIGN std::array<std::int32_t, hn::MaxLanes(d)> lanes;
  result.min = std::min(result.min, hn::GetLane(hn::MinOfLanes(d, range.min)));
  result.max = std::max(result.max, hn::GetLane(hn::MaxOfLanes(d, range.max)));
  hn::Store(range.nonFinite, d, lanes.data());
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) result.nonFinite += lanes[i];
}

// Takes in what may hold numbers that are not finite.
void includeAnything(const float* in, std::size_t count, MinMaxKeys& result) {
  const IntTag d;
  KeyVectors range{hn::Set(d, MinMaxKeys::kHighest), hn::Set(d, MinMaxKeys::kLowest), hn::Zero(d)};
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) include(range, in + i);
  foldLanes(range, result);
  for (; i < count; ++i) result.include(in[i]);
}

// Numbers that are not finite have the lowest and highest keys: where the extremes of all are
// finite, there is none, and nothing had to be selected. The last vector may overlap.
void includePiece(const float* in, std::size_t count, MinMaxKeys& result) {
  const IntTag d;
  const std::size_t lanes = hn::Lanes(d);
  if (count < lanes) return includeAnything(in, count, result);
  const IntVector last = keysOf(in + count - lanes);
  IntVector low = last;
  IntVector high = last;
  for (std::size_t i = 0; i + lanes <= count; i += lanes) {
    hwy::Prefetch(in + i + kPrefetchAhead);
    const IntVector keys = keysOf(in + i);
    low = hn::Min(low, keys);
    high = hn::Max(high, keys);
  }
  const std::int32_t min = hn::GetLane(hn::MinOfLanes(d, low));
  const std::int32_t max = hn::GetLane(hn::MaxOfLanes(d, high));
  if (min < MinMaxKeys::kLowest || max > MinMaxKeys::kHighest) {
    return includeAnything(in, count, result);
  }
  result.min = std::min(result.min, min);
  result.max = std::max(result.max, max);
}

void includeRun(const float* in, std::size_t count, MinMaxKeys& result) {
  for (std::size_t i = 0; i < count; i += kPiece) {
    includePiece(in + i, std::min(kPiece, count - i), result);
  }
}

// Extremes of each position over `rows` rows, not finite elements included, in the order of memory:
// a walk down a column would touch another page with every row. Two halves at the same time let
// memory fetch two places at a time.
void foldRows(const float* in, std::size_t rows, std::size_t width, std::int32_t* lows,
              std::int32_t* highs) {
  const IntTag d;
  const std::size_t end = width - width % hn::Lanes(d);
  const std::size_t half = (rows + 1) / 2;
  for (std::size_t row = 0; row < half; ++row) {
    const float* a = in + row * width;
    const float* b = in + std::min(row + half, rows - 1) * width;
    for (std::size_t i = 0; i < end; i += hn::Lanes(d)) {
      hwy::Prefetch(a + i + kPrefetchAhead);
      hwy::Prefetch(b + i + kPrefetchAhead);
      const IntVector low = hn::Min(keysOf(a + i), keysOf(b + i));
      const IntVector high = hn::Max(keysOf(a + i), keysOf(b + i));
      hn::Store(row == 0 ? low : hn::Min(low, hn::Load(d, lows + i)), d, lows + i);
      hn::Store(row == 0 ? high : hn::Max(high, hn::Load(d, highs + i)), d, highs + i);
    }
  }
}

// Folds `rows` rows into accumulators of their own for each position; handles elements that are not
// finite only if there are any.
void includeRows(const float* in, std::size_t rows, std::size_t width, MinMaxColumns& columns,
                 MinMaxColumns& scratch) {
  const IntTag d;
  foldRows(in, rows, width, scratch.min.data(), scratch.max.data());
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= width; i += hn::Lanes(d)) {
    const IntVector low = hn::LoadU(d, scratch.min.data() + i);
    const IntVector high = hn::LoadU(d, scratch.max.data() + i);
    KeyVectors range{hn::LoadU(d, columns.min.data() + i), hn::LoadU(d, columns.max.data() + i),
                     hn::LoadU(d, columns.nonFinite.data() + i)};
    if (HWY_LIKELY(hn::AllFalse(d, hn::Or(hn::Lt(low, hn::Set(d, MinMaxKeys::kLowest)),
                                          hn::Gt(high, hn::Set(d, MinMaxKeys::kHighest)))))) {
      range.min = hn::Min(range.min, low);
      range.max = hn::Max(range.max, high);
    } else {
      for (std::size_t row = 0; row < rows; ++row) include(range, in + row * width + i);
      hn::StoreU(range.nonFinite, d, columns.nonFinite.data() + i);
    }
    hn::StoreU(range.min, d, columns.min.data() + i);
    hn::StoreU(range.max, d, columns.max.data() + i);
  }
  for (; i < width; ++i) {
    for (std::size_t row = 0; row < rows; ++row) columns.include(i, in[row * width + i]);
  }
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(includeRun);
HWY_EXPORT(includeRows);

// Elements of rows that are looked at once whether all of them is finite: if not, they are still in
// the cache to be gone through again. And how many rows that are at least.
constexpr std::size_t kRowsElements = 65536;
constexpr std::size_t kFewestRows = 8;

// Bounds the 32-bit counters.
constexpr std::size_t kBlock = std::size_t{1} << 30;

void mergeRowsOfShortRuns(const float* in, const ChannelLayout& layout, std::span<MinMax> result) {
  const std::size_t width = layout.channels * layout.inner;
  MinMaxColumns columns(width);
  MinMaxColumns scratch(width);
  const std::size_t rows = std::max(kFewestRows, kRowsElements / std::max<std::size_t>(width, 1));
  for (std::size_t o = 0; o < layout.outer; o += rows) {
    HWY_DYNAMIC_DISPATCH(includeRows)
    (in + o * width, std::min(rows, layout.outer - o), width, columns, scratch);
  }
  for (std::size_t c = 0, i = 0; c < layout.channels; ++c) {
    for (; i < (c + 1) * layout.inner; ++i) result[c].merge(columns[i].toMinMax());
  }
}

}  // namespace

MinMax minMax(std::span<const float> in) {
  MinMax result;
  for (std::size_t first = 0; first < in.size(); first += kBlock) {
    MinMaxKeys keys;
    HWY_DYNAMIC_DISPATCH(includeRun)(in.data() + first, std::min(kBlock, in.size() - first), keys);
    result.merge(keys.toMinMax());
  }
  return result;
}

void minMaxPerChannel(std::span<const float> in, ChannelLayout layout, std::span<MinMax> result) {
  requireLayout(layout, in.size(), result.size());
  if (in.empty()) return;
  if (layout.inner < kShortRun) {
    for (std::size_t first = 0; first < layout.outer; first += kBlock) {
      const ChannelLayout rows{std::min(kBlock, layout.outer - first), layout.channels,
                               layout.inner};
      mergeRowsOfShortRuns(in.data() + first * layout.channels * layout.inner, rows, result);
    }
    return;
  }
  for (std::size_t run = 0; run < layout.outer * layout.channels; ++run) {
    result[run % layout.channels].merge(minMax(in.subspan(run * layout.inner, layout.inner)));
  }
}

}  // namespace quantscope
#endif
