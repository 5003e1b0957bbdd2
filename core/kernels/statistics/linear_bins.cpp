#include "kernels/statistics/linear_bins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "kernels/streaming.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/statistics/linear_bins.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QUANTSCOPE_KERNELS_LINEAR_BINS_BLOCK
#define QUANTSCOPE_KERNELS_LINEAR_BINS_BLOCK
namespace quantscope {
namespace {

// Elements whose bins are computed before they are counted: a multiple of every vector's width.
// Fewer would be loaded again too soon after they were stored, more let the processor see less of
// both.
constexpr std::size_t kBlock = 256;

// Neighbours often share a bin, and a counter that was just stored is slow to load again; but more
// tables than one must be worth their clearing.
constexpr std::size_t kTables = 4;
constexpr std::size_t kMany = 16384;

struct BinScale {
  float inverseWidth;
  float first;
  float last;
};

struct RangeScale {
  float low;
  float binsPerUnit;
  float last;
};

}  // namespace
}  // namespace quantscope
#endif

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using FloatTag = hn::ScalableTag<float>;
using FloatVector = hn::Vec<FloatTag>;
using IntTag = hn::RebindToSigned<FloatTag>;

// The significand of 2^23 plus a smaller integer is that integer: faster than a conversion, which
// would have to handle values out of range.
hn::Vec<IntTag> integerOf(FloatVector bin) {
  const FloatTag d;
  const hn::Vec<IntTag> bits = hn::BitCast(IntTag(), hn::Add(bin, hn::Set(d, 0x1p23F)));
  return hn::And(bits, hn::Set(IntTag(), 0x007FFFFF));
}

// clamp(floor(x / width), first, last) − first, and last − first + 1 if x is not finite.
hn::Vec<IntTag> binsOf(FloatVector x, const BinScale& scale) {
  const FloatTag d;
  const FloatVector first = hn::Set(d, scale.first);
  const FloatVector smallestNormal = hn::Set(d, std::numeric_limits<float>::min());
  const FloatVector none = hn::Set(d, scale.last - scale.first + 1);
  const FloatVector quotient = hn::Mul(x, hn::Set(d, scale.inverseWidth));
  // A quotient that underflows, to 0 or a denormal, must still be below 0 where x is.
  const auto negative = hn::Le(x, hn::Neg(smallestNormal));
  const FloatVector bounded = hn::IfThenElse(negative, hn::Min(quotient, hn::Neg(smallestNormal)),
                                             hn::Max(quotient, hn::Zero(d)));
  const FloatVector clamped = hn::Min(hn::Max(hn::Floor(bounded), first), hn::Set(d, scale.last));
  return integerOf(hn::IfThenElse(hn::IsFinite(x), hn::Sub(clamped, first), none));
}

// floor((x − low)·binsPerUnit) within 0 to last, and last + 1 for NaN.
hn::Vec<IntTag> binsOf(FloatVector x, const RangeScale& scale) {
  const FloatTag d;
  const FloatVector zero = hn::Zero(d);
  const FloatVector last = hn::Set(d, scale.last);
  const FloatVector bin = hn::Mul(hn::Sub(x, hn::Set(d, scale.low)), hn::Set(d, scale.binsPerUnit));
  const FloatVector bounded = hn::Min(hn::IfThenElse(hn::Gt(bin, zero), bin, zero), last);
  const FloatVector none = hn::Add(last, hn::Set(d, 1.0F));
  return integerOf(hn::IfThenElse(hn::IsNaN(x), none, hn::Floor(bounded)));
}

// Tables of counters begin `step` apart, or all in one place; neighbours take them in turn.
template <class Scale>
void countBlocks(const float* in, std::size_t blocks, const Scale& scale, std::uint32_t* tables,
                 std::size_t step) {
  const FloatTag d;
  HWY_ALIGN std::array<std::int32_t, hn::MaxLanes(d)> starts;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    starts[i] = static_cast<std::int32_t>(i % kTables * step);
  }
  const auto tableStarts = hn::Load(IntTag(), starts.data());
  for (std::size_t block = 0; block < blocks; ++block, in += kBlock) {
    HWY_ALIGN std::array<std::uint32_t, kBlock> counters;
    for (std::size_t i = 0; i < kBlock; i += hn::Lanes(d)) {
      hwy::Prefetch(in + i + kPrefetchAhead);
      const auto counter = hn::Add(binsOf(hn::LoadU(d, in + i), scale), tableStarts);
      hn::Store(hn::BitCast(hn::RebindToUnsigned<FloatTag>(), counter),
                hn::RebindToUnsigned<FloatTag>(), counters.data() + i);
    }
    for (std::size_t i = 0; i < kBlock; i += 8) {
      ++tables[counters[i]];
      ++tables[counters[i + 1]];
      ++tables[counters[i + 2]];
      ++tables[counters[i + 3]];
      ++tables[counters[i + 4]];
      ++tables[counters[i + 5]];
      ++tables[counters[i + 6]];
      ++tables[counters[i + 7]];
    }
  }
}

void countAligned(const float* in, std::size_t blocks, const BinScale& scale, std::uint32_t* tables,
                  std::size_t step) {
  countBlocks(in, blocks, scale, tables, step);
}

void countInRange(const float* in, std::size_t blocks, const RangeScale& scale,
                  std::uint32_t* tables, std::size_t step) {
  countBlocks(in, blocks, scale, tables, step);
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(countAligned);
HWY_EXPORT(countInRange);

// counts += the counts of `countBlocks`; one more counter is for elements without a bin.
template <class Scale, class CountBlocks>
void addTo(std::span<std::uint32_t> counts, std::span<const float> in, const Scale& scale,
           const CountBlocks& countBlocks) {
  const std::size_t bins = counts.size();
  const std::size_t tableCount = in.size() < kMany ? 1 : kTables;
  const std::size_t step = tableCount == 1 ? 0 : bins + 1;
  std::vector<std::uint32_t> tables(tableCount * (bins + 1));
  const std::size_t blocks = in.size() / kBlock;
  countBlocks(in.data(), blocks, scale, tables.data(), step);
  std::array<float, kBlock> tail;
  tail.fill(std::numeric_limits<float>::quiet_NaN());
  std::copy(in.begin() + static_cast<std::ptrdiff_t>(blocks * kBlock), in.end(), tail.data());
  countBlocks(tail.data(), 1, scale, tables.data(), step);
  for (std::size_t t = 0; t < tableCount; ++t) {
    for (std::size_t bin = 0; bin < bins; ++bin) counts[bin] += tables[t * (bins + 1) + bin];
  }
}

}  // namespace

std::int32_t linearBin(float x, int widthExponent) {
  if (!std::isnormal(x)) return 0;
  return static_cast<std::int32_t>(std::floor(std::ldexp(double{x}, -widthExponent)));
}

void addToLinearBins(std::span<const float> in, int widthExponent, std::int32_t firstBin,
                     std::span<std::uint32_t> counts) {
  const auto first = static_cast<float>(firstBin);
  const BinScale scale{std::ldexp(1.0F, -widthExponent), first,
                       first + static_cast<float>(counts.size()) - 1};
  addTo(counts, in, scale, HWY_DYNAMIC_DISPATCH(countAligned));
}

void addToRangeBins(std::span<const float> in, float low, float high,
                    std::span<std::uint32_t> counts) {
  const auto bins = static_cast<float>(counts.size());
  addTo(counts, in, RangeScale{low, bins / (high - low), bins - 1},
        HWY_DYNAMIC_DISPATCH(countInRange));
}

}  // namespace quantscope
#endif
