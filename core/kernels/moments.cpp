#include "kernels/moments.h"

#include <algorithm>
#include <array>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/moments.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QUANTSCOPE_KERNELS_MOMENT_LANES
#define QUANTSCOPE_KERNELS_MOMENT_LANES
namespace quantscope {
namespace {

// Two of the widest vectors: enough independent sums to hide the latency of an addition.
constexpr std::size_t kLanes = 16;

struct MomentLanes {
  alignas(64) std::array<double, kLanes> sum{};
  alignas(64) std::array<double, kLanes> squares{};
  alignas(64) std::array<std::int32_t, kLanes> nonFinite{};
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

struct LaneMoments {
  hn::Vec<DoubleTag> sum;
  hn::Vec<DoubleTag> squares;
  hn::Vec<IntTag> nonFinite;

  void load(const MomentLanes& lanes, std::size_t first) {
    sum = hn::Load(DoubleTag(), lanes.sum.data() + first);
    squares = hn::Load(DoubleTag(), lanes.squares.data() + first);
    nonFinite = hn::Load(IntTag(), lanes.nonFinite.data() + first);
  }

  void add(const float* in) {
    const IntTag di;
    const auto bits = hn::BitCast(di, hn::LoadU(FloatTag(), in));
    const auto magnitude = hn::And(bits, hn::Set(di, 0x7FFFFFFF));
    const auto nonFiniteMask = hn::Gt(magnitude, hn::Set(di, 0x7F7FFFFF));
    // The conversion would take a denormal for 0 or not, as the unit is set; here it always is.
    const auto counts = hn::AndNot(nonFiniteMask, hn::Gt(magnitude, hn::Set(di, 0x007FFFFF)));
    const auto x =
        hn::PromoteTo(DoubleTag(), hn::BitCast(FloatTag(), hn::IfThenElseZero(counts, bits)));
    sum = hn::Add(sum, x);
    squares = hn::Add(squares, hn::Mul(x, x));
    nonFinite = hn::Add(nonFinite, hn::IfThenElseZero(nonFiniteMask, hn::Set(di, 1)));
  }

  void store(MomentLanes& lanes, std::size_t first) const {
    hn::Store(sum, DoubleTag(), lanes.sum.data() + first);
    hn::Store(squares, DoubleTag(), lanes.squares.data() + first);
    hn::Store(nonFinite, IntTag(), lanes.nonFinite.data() + first);
  }
};

// Adds steps · kLanes neighbours.
void addSteps(const float* in, std::size_t steps, MomentLanes& lanes) {
  constexpr std::size_t kVectors = kLanes / hn::MaxLanes(DoubleTag());
  LaneMoments moments[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) moments[v].load(lanes, v * hn::Lanes(DoubleTag()));
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      moments[v].add(in + step * kLanes + v * hn::Lanes(DoubleTag()));
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v) moments[v].store(lanes, v * hn::Lanes(DoubleTag()));
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(addSteps);

Moments fold(const MomentLanes& lanes, std::size_t elements) {
  std::array<Moments, kLanes> moments;
  for (std::size_t i = 0; i < kLanes; ++i) {
    // Lane i took the elements i, i + kLanes, … .
    const auto nonFinite = static_cast<std::size_t>(lanes.nonFinite[i]);
    const std::size_t count = (elements + kLanes - 1 - i) / kLanes - nonFinite;
    moments[i] = {count, nonFinite, lanes.sum[i], lanes.squares[i]};
  }
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) moments[i].add(moments[i + half]);
  }
  return moments[0];
}

}  // namespace

void Moments::add(const Moments& other) {
  count += other.count;
  nonFinite += other.nonFinite;
  sum += other.sum;
  squares += other.squares;
}

Moments moments(std::span<const float> in) {
  MomentLanes lanes;
  const std::size_t steps = in.size() / kLanes;
  HWY_DYNAMIC_DISPATCH(addSteps)(in.data(), steps, lanes);
  std::array<float, kLanes> tail{};
  std::copy(in.begin() + static_cast<std::ptrdiff_t>(steps * kLanes), in.end(), tail.data());
  HWY_DYNAMIC_DISPATCH(addSteps)(tail.data(), 1, lanes);
  return fold(lanes, in.size());
}

}  // namespace quantscope
#endif
