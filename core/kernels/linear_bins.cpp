#include "kernels/linear_bins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "kernels/streaming.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/linear_bins.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QUANTSCOPE_KERNELS_LINEAR_BINS_BLOCK
#define QUANTSCOPE_KERNELS_LINEAR_BINS_BLOCK
namespace quantscope {
namespace {

// Elements whose bins are computed before they are counted; a multiple of every vector's width.
constexpr std::size_t kBlock = 512;

struct BinScale {
  float inverseWidth;
  float first;
  float last;
};

}  // namespace
}  // namespace quantscope
#endif

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// bins[i] = clamp(floor(in[i] / width), first, last) − first, and last − first + 1 for what is
// not finite, for one block.
void findBins(const float* in, const BinScale& scale, std::int32_t* bins) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto first = hn::Set(d, scale.first);
  const auto smallestNormal = hn::Set(d, std::numeric_limits<float>::min());
  const auto none = hn::Set(d, scale.last - scale.first + 1);
  for (std::size_t i = 0; i < kBlock; i += hn::Lanes(d)) {
    hwy::Prefetch(in + i + kPrefetchAhead);
    const auto x = hn::LoadU(d, in + i);
    const auto quotient = hn::Mul(x, hn::Set(d, scale.inverseWidth));
    // A quotient that underflows, to 0 or a denormal, must still be below 0 where x is.
    const auto negative = hn::Le(x, hn::Neg(smallestNormal));
    const auto bounded = hn::IfThenElse(negative, hn::Min(quotient, hn::Neg(smallestNormal)),
                                        hn::Max(quotient, hn::Zero(d)));
    const auto clamped = hn::Min(hn::Max(hn::Floor(bounded), first), hn::Set(d, scale.last));
    const auto bin = hn::IfThenElse(hn::IsFinite(x), hn::Sub(clamped, first), none);
    hn::StoreU(hn::ConvertTo(di, bin), di, bins + i);
  }
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(findBins);

// Neighbours often share a bin, and a counter that was just stored is slow to load again; but more
// tables than one must be worth their clearing.
constexpr std::size_t kTables = 4;
constexpr std::size_t kMany = 16384;

// `tables` holds tableCount tables of one counter per bin and one for what is not finite. Bins in
// fours, so that each has a table that is known.
template <std::size_t tableCount>
void countBlock(const float* in, const BinScale& scale, std::vector<std::uint32_t>& tables) {
  static_assert(tableCount == 1 || tableCount == kTables);
  std::array<std::int32_t, kBlock> bins;
  HWY_DYNAMIC_DISPATCH(findBins)(in, scale, bins.data());
  const std::size_t step = tableCount == 1 ? 0 : tables.size() / tableCount;
  std::uint32_t* const first = tables.data();
  std::uint32_t* const second = first + step;
  std::uint32_t* const third = second + step;
  std::uint32_t* const fourth = third + step;
  for (std::size_t i = 0; i < kBlock; i += kTables) {
    ++first[bins[i]];
    ++second[bins[i + 1]];
    ++third[bins[i + 2]];
    ++fourth[bins[i + 3]];
  }
}

template <std::size_t tableCount>
void countAll(std::span<const float> in, const BinScale& scale,
              std::vector<std::uint32_t>& tables) {
  std::size_t i = 0;
  for (; i + kBlock <= in.size(); i += kBlock) {
    countBlock<tableCount>(in.data() + i, scale, tables);
  }
  if (i == in.size()) return;
  std::array<float, kBlock> tail;
  tail.fill(std::numeric_limits<float>::quiet_NaN());
  std::copy(in.begin() + static_cast<std::ptrdiff_t>(i), in.end(), tail.data());
  countBlock<tableCount>(tail.data(), scale, tables);
}

}  // namespace

std::int32_t linearBin(float x, int widthExponent) {
  if (!std::isnormal(x)) return 0;
  return static_cast<std::int32_t>(std::floor(std::ldexp(double{x}, -widthExponent)));
}

void addToLinearBins(std::span<const float> in, int widthExponent, std::int32_t firstBin,
                     std::span<std::uint32_t> counts) {
  const std::size_t bins = counts.size();
  const auto first = static_cast<float>(firstBin);
  const BinScale scale{std::ldexp(1.0F, -widthExponent), first,
                       first + static_cast<float>(bins) - 1};
  const std::size_t tableCount = in.size() < kMany ? 1 : kTables;
  std::vector<std::uint32_t> tables(tableCount * (bins + 1));
  tableCount == 1 ? countAll<1>(in, scale, tables) : countAll<kTables>(in, scale, tables);
  for (std::size_t t = 0; t < tableCount; ++t) {
    for (std::size_t bin = 0; bin < bins; ++bin) counts[bin] += tables[t * (bins + 1) + bin];
  }
}

}  // namespace quantscope
#endif
