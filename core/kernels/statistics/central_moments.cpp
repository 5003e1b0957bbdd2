#include "kernels/statistics/central_moments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/flushed.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/statistics/central_moments.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QUANTSCOPE_KERNELS_POWER_LANES
#define QUANTSCOPE_KERNELS_POWER_LANES
namespace quantscope {
namespace {

// With four sums per lane, they fit into the registers of every target.
constexpr std::size_t kLanes = 8;
constexpr std::size_t kPowers = 4;

/// Lanes of Σ(x − c)^k, k = 1 … 4.
struct PowerLanes {
  alignas(64) std::array<std::array<double, kLanes>, kPowers> sums{};
};

}  // namespace
}  // namespace quantscope
#endif

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using DoubleTag = hn::CappedTag<double, kLanes>;
using DoubleVector = hn::Vec<DoubleTag>;
using FloatTag = hn::Rebind<float, DoubleTag>;
using IntTag = hn::Rebind<std::int32_t, DoubleTag>;
using WideTag = hn::Rebind<std::int64_t, DoubleTag>;

// x − c of finite elements, 0 of others.
DoubleVector distances(const float* in, DoubleVector centre) {
  const IntTag di;
  const WideTag dw;
  const auto bits = hn::BitCast(di, hn::LoadU(FloatTag(), in));
  const auto magnitude = hn::And(bits, hn::Set(di, 0x7FFFFFFF));
  const auto isFinite = hn::VecFromMask(di, hn::Lt(magnitude, hn::Set(di, 0x7F800000)));
  // The conversion would take a denormal for 0 or not, as the unit is set; here it always is.
  const auto isNormal = hn::Gt(magnitude, hn::Set(di, 0x007FFFFF));
  const auto x =
      hn::PromoteTo(DoubleTag(), hn::BitCast(FloatTag(), hn::IfThenElseZero(isNormal, bits)));
  const auto counts = hn::PromoteTo(dw, isFinite);
  return hn::BitCast(DoubleTag(), hn::And(counts, hn::BitCast(dw, hn::Sub(x, centre))));
}

// Adds steps · kLanes neighbours.
void addSteps(const float* in, std::size_t steps, double centreOfAll, PowerLanes& lanes) {
  const DoubleTag d;
  const DoubleVector centre = hn::Set(d, centreOfAll);
  for (std::size_t first = 0; first < kLanes; first += hn::Lanes(d)) {
    DoubleVector sum1 = hn::Load(d, lanes.sums[0].data() + first);
    DoubleVector sum2 = hn::Load(d, lanes.sums[1].data() + first);
    DoubleVector sum3 = hn::Load(d, lanes.sums[2].data() + first);
    DoubleVector sum4 = hn::Load(d, lanes.sums[3].data() + first);
    for (std::size_t step = 0; step < steps; ++step) {
      const DoubleVector x = distances(in + step * kLanes + first, centre);
      const DoubleVector square = hn::Mul(x, x);
      sum1 = hn::Add(sum1, x);
      sum2 = hn::Add(sum2, square);
      sum3 = hn::Add(sum3, hn::Mul(square, x));
      sum4 = hn::Add(sum4, hn::Mul(square, square));
    }
    hn::Store(sum1, d, lanes.sums[0].data() + first);
    hn::Store(sum2, d, lanes.sums[1].data() + first);
    hn::Store(sum3, d, lanes.sums[2].data() + first);
    hn::Store(sum4, d, lanes.sums[3].data() + first);
  }
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(addSteps);

// Short enough to stay in the nearest cache while each vector of lanes has its turn.
constexpr std::size_t kStepsAtOnce = 512;

double folded(std::array<double, kLanes> lanes) {
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  }
  return lanes[0];
}

// Converts sums of powers of the distance from `centre` into those from the mean.
CentralMoments aboutMean(const PowerLanes& lanes, std::size_t count, double centre) {
  const auto n = static_cast<double>(count);
  const double a = folded(lanes.sums[0]) / n;  // mean − centre
  const double s2 = folded(lanes.sums[1]);
  const double s3 = folded(lanes.sums[2]);
  const double s4 = folded(lanes.sums[3]);
  return {.count = count,
          .mean = centre + a,
          .m2 = std::max(s2 - n * a * a, 0.0),
          .m3 = s3 - 3 * a * s2 + 2 * n * a * a * a,
          .m4 = std::max(s4 - 4 * a * s3 + 6 * a * a * s2 - 3 * n * a * a * a * a, 0.0)};
}

}  // namespace

void CentralMoments::add(const CentralMoments& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  const auto a = static_cast<double>(count);
  const auto b = static_cast<double>(other.count);
  const double n = a + b;
  const double delta = other.mean - mean;
  const double share = delta / n;
  m4 += other.m4 + delta * share * share * share * a * b * (a * a - a * b + b * b) +
        6 * share * share * (a * a * other.m2 + b * b * m2) + 4 * share * (a * other.m3 - b * m3);
  m3 += other.m3 + delta * share * share * a * b * (a - b) + 3 * share * (a * other.m2 - b * m2);
  m2 += other.m2 + delta * share * a * b;
  mean += share * b;
  count += other.count;
}

double CentralMoments::variance() const {
  return count == 0 ? 0 : m2 / static_cast<double>(count);
}

double CentralMoments::kurtosis() const {
  return m2 > 0 ? static_cast<double>(count) * (m4 / m2) / m2 : 0;
}

CentralMoments centralMoments(std::span<const float> in, const MinMax& range) {
  const std::size_t count = in.size() - range.nonFinite;
  if (count == 0) return {};
  const double centre = (flushed(range.min) + flushed(range.max)) / 2;
  PowerLanes lanes;
  const std::size_t steps = in.size() / kLanes;
  for (std::size_t first = 0; first < steps; first += kStepsAtOnce) {
    HWY_DYNAMIC_DISPATCH(addSteps)
    (in.data() + first * kLanes, std::min(kStepsAtOnce, steps - first), centre, lanes);
  }
  // The tail is filled up with NaN, which is not counted.
  std::array<float, kLanes> tail;
  tail.fill(std::numeric_limits<float>::quiet_NaN());
  std::copy(in.begin() + static_cast<std::ptrdiff_t>(steps * kLanes), in.end(), tail.data());
  HWY_DYNAMIC_DISPATCH(addSteps)(tail.data(), 1, centre, lanes);
  return aboutMean(lanes, count, centre);
}

}  // namespace quantscope
#endif
