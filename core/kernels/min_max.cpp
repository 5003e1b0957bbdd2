// The search runs on integers: with its lower 31 bits flipped where the sign is set, a float's bit
// pattern orders as the float does. Unlike a comparison of floats this depends neither on how the
// floating-point unit treats denormals nor on the order of 0 and −0.
#include "kernels/min_max.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/min_max_keys.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/min_max.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

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

void foldLanes(const KeyVectors& range, MinMaxKeys& result) {
  const IntTag d;
  HWY_ALIGN std::array<std::int32_t, hn::MaxLanes(d)> lanes;
  result.min = std::min(result.min, hn::GetLane(hn::MinOfLanes(d, range.min)));
  result.max = std::max(result.max, hn::GetLane(hn::MaxOfLanes(d, range.max)));
  hn::Store(range.nonFinite, d, lanes.data());
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) result.nonFinite += lanes[i];
}

void includeRun(const float* in, std::size_t count, MinMaxKeys& result) {
  const IntTag d;
  KeyVectors range{hn::Set(d, MinMaxKeys::kHighest), hn::Set(d, MinMaxKeys::kLowest), hn::Zero(d)};
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) include(range, in + i);
  foldLanes(range, result);
  for (; i < count; ++i) result.include(in[i]);
}

// One row into accumulators of its own for each position.
void includeRow(const float* in, std::size_t width, MinMaxColumns& columns) {
  const IntTag d;
  std::size_t i = 0;
  for (; i + hn::Lanes(d) <= width; i += hn::Lanes(d)) {
    KeyVectors range{hn::LoadU(d, columns.min.data() + i), hn::LoadU(d, columns.max.data() + i),
                     hn::LoadU(d, columns.nonFinite.data() + i)};
    include(range, in + i);
    hn::StoreU(range.min, d, columns.min.data() + i);
    hn::StoreU(range.max, d, columns.max.data() + i);
    hn::StoreU(range.nonFinite, d, columns.nonFinite.data() + i);
  }
  for (; i < width; ++i) columns.include(i, in[i]);
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(includeRun);
HWY_EXPORT(includeRow);

// Bounds the 32-bit counters.
constexpr std::size_t kBlock = std::size_t{1} << 30;

void mergeRowsOfShortRuns(const float* in, const ChannelLayout& layout, std::span<MinMax> result) {
  const std::size_t width = layout.channels * layout.inner;
  MinMaxColumns columns(width);
  for (std::size_t o = 0; o < layout.outer; ++o) {
    HWY_DYNAMIC_DISPATCH(includeRow)(in + o * width, width, columns);
  }
  for (std::size_t i = 0; i < width; ++i) result[i / layout.inner].merge(columns[i].toMinMax());
}

}  // namespace

void MinMax::merge(const MinMax& other) {
  const auto less = [](float a, float b) { return MinMaxKeys::of(a) < MinMaxKeys::of(b); };
  min = std::min(min, other.min, less);
  max = std::max(max, other.max, less);
  nonFinite += other.nonFinite;
}

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
