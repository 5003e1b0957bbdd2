#include "kernels/codes/magnitude_sums.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/codes/magnitude_sums.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QUANTSCOPE_KERNELS_MAGNITUDE_LANES
#define QUANTSCOPE_KERNELS_MAGNITUDE_LANES
namespace quantscope {
namespace {

// Two of the widest vectors: enough independent sums to hide the latency of an addition.
constexpr std::size_t kLanes = 16;

// A lane's count is an int32: arrays are taken in pieces that cannot exceed it.
constexpr std::size_t kMaxSteps = std::size_t{1} << 30;

struct MagnitudeLanes {
  alignas(64) std::array<double, kLanes> sum{};
  alignas(64) std::array<std::int32_t, kLanes> count{};
};

}  // namespace
}  // namespace quantscope
#endif

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using DoubleTag = hn::CappedTag<double, kLanes>;
using FloatTag = hn::Rebind<float, DoubleTag>;
using IntTag = hn::Rebind<std::int32_t, DoubleTag>;

struct LaneSums {
  hn::Vec<DoubleTag> sum;
  hn::Vec<IntTag> count;

  // Bits of magnitudes are ordered like the magnitudes, denormals too.
  void add(const float* in, hn::Vec<IntTag> above) {
    const IntTag di;
    const auto bits = hn::BitCast(di, hn::LoadU(FloatTag(), in));
    const auto magnitude = hn::And(bits, hn::Set(di, 0x7FFFFFFF));
    const auto counts =
        hn::And(hn::Gt(magnitude, above), hn::Lt(magnitude, hn::Set(di, 0x7F800000)));
    const auto adds = hn::And(counts, hn::Gt(magnitude, hn::Set(di, 0x007FFFFF)));
    const auto added = hn::BitCast(FloatTag(), hn::IfThenElseZero(adds, magnitude));
    sum = hn::Add(sum, hn::PromoteTo(DoubleTag(), added));
    count = hn::Add(count, hn::IfThenElseZero(counts, hn::Set(di, 1)));
  }
};

// Adds those of steps · kLanes neighbours whose magnitudes have bits above `aboveBits`.
void addSteps(const float* in, std::size_t steps, std::int32_t aboveBits, MagnitudeLanes& lanes) {
  constexpr std::size_t kVectors = kLanes / hn::MaxLanes(DoubleTag());
  const DoubleTag dd;
  const IntTag di;
  const std::size_t width = hn::Lanes(dd);
  const auto above = hn::Set(di, aboveBits);
  LaneSums sums[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    sums[v] = {hn::Load(dd, lanes.sum.data() + v * width),
               hn::Load(di, lanes.count.data() + v * width)};
  }
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t v = 0; v < kVectors; ++v) sums[v].add(in + step * kLanes + v * width, above);
  }
  for (std::size_t v = 0; v < kVectors; ++v) {
    hn::Store(sums[v].sum, dd, lanes.sum.data() + v * width);
    hn::Store(sums[v].count, di, lanes.count.data() + v * width);
  }
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(addSteps);

double foldByHalves(std::array<double, kLanes> lanes) {
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

// Counts leave the lanes piece by piece, sums stay until the end.
std::size_t takeCounts(MagnitudeLanes& lanes) {
  const auto total = std::accumulate(lanes.count.begin(), lanes.count.end(), std::int64_t{0});
  lanes.count.fill(0);
  return static_cast<std::size_t>(total);
}

}  // namespace

MagnitudeSums magnitudeSums(std::span<const float> in, std::optional<float> above) {
  const std::int32_t aboveBits = above ? std::bit_cast<std::int32_t>(*above) : -1;
  MagnitudeLanes lanes;
  MagnitudeSums result;
  std::size_t done = 0;
  while (in.size() - done >= kLanes) {
    const std::size_t steps = std::min((in.size() - done) / kLanes, kMaxSteps);
    HWY_DYNAMIC_DISPATCH(addSteps)(in.data() + done, steps, aboveBits, lanes);
    result.count += takeCounts(lanes);
    done += steps * kLanes;
  }
  // The tail is filled up with elements that do not count.
  std::array<float, kLanes> tail;
  tail.fill(std::numeric_limits<float>::quiet_NaN());
  std::copy(in.begin() + static_cast<std::ptrdiff_t>(done), in.end(), tail.data());
  HWY_DYNAMIC_DISPATCH(addSteps)(tail.data(), 1, aboveBits, lanes);
  result.count += takeCounts(lanes);
  result.sum = foldByHalves(lanes.sum);
  return result;
}

}  // namespace quantscope
#endif
