#include "kernels/statistics/error_sums.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "kernels/streaming.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/statistics/error_sums.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#ifndef QUANTSCOPE_KERNELS_ERROR_LANES
#define QUANTSCOPE_KERNELS_ERROR_LANES
namespace quantscope {
namespace {

// The number of doubles of the widest vector; narrower targets take several vectors.
constexpr std::size_t kLanes = 8;

// Steps that are done again, carefully, where one of their pairs is odd: both arrays stay in the
// nearest cache.
constexpr std::size_t kStepsAtOnce = 64;

struct ErrorLanes {
  alignas(64) std::array<double, kLanes> referenceSquared{};
  alignas(64) std::array<double, kLanes> valueSquared{};
  alignas(64) std::array<double, kLanes> product{};
  alignas(64) std::array<double, kLanes> error{};
  alignas(64) std::array<double, kLanes> absoluteError{};
  alignas(64) std::array<double, kLanes> squaredError{};
  alignas(64) std::array<double, kLanes> maxAbsoluteError{};
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
using DoubleVector = hn::Vec<DoubleTag>;
using FloatTag = hn::Rebind<float, DoubleTag>;
using FloatVector = hn::Vec<FloatTag>;
using IntTag = hn::Rebind<std::int32_t, DoubleTag>;
using UnsignedTag = hn::Rebind<std::uint32_t, DoubleTag>;

// The accumulators of the lanes that fit one vector.
struct LaneSums {
  DoubleVector referenceSquared;
  DoubleVector valueSquared;
  DoubleVector product;
  DoubleVector error;
  DoubleVector absoluteError;
  DoubleVector squaredError;
  DoubleVector maxAbsoluteError;
  hn::Vec<IntTag> nonFinite;
  hn::Vec<UnsignedTag> smallest;  ///< magnitudeBelowZero() of the plain pairs

  void load(const ErrorLanes& lanes, std::size_t first) {
    const DoubleTag d;
    referenceSquared = hn::Load(d, lanes.referenceSquared.data() + first);
    valueSquared = hn::Load(d, lanes.valueSquared.data() + first);
    product = hn::Load(d, lanes.product.data() + first);
    error = hn::Load(d, lanes.error.data() + first);
    absoluteError = hn::Load(d, lanes.absoluteError.data() + first);
    squaredError = hn::Load(d, lanes.squaredError.data() + first);
    maxAbsoluteError = hn::Load(d, lanes.maxAbsoluteError.data() + first);
    nonFinite = hn::Load(IntTag(), lanes.nonFinite.data() + first);
    smallest = hn::Set(UnsignedTag(), 0xFFFFFFFFU);
  }

  // Pairs of which any may be odd.
  void add(const float* references, const float* values) {
    const IntTag di;
    const auto xBits = hn::BitCast(di, hn::LoadU(FloatTag(), references));
    const auto yBits = hn::BitCast(di, hn::LoadU(FloatTag(), values));
    const auto finite = hn::And(isFinite(xBits), isFinite(yBits));
    const DoubleVector x = toDouble(hn::IfThenElseZero(finite, xBits));
    const DoubleVector y = toDouble(hn::IfThenElseZero(finite, yBits));
    addFinite(x, y);
    nonFinite = hn::Add(nonFinite, hn::IfThenElseZero(hn::Not(finite), hn::Set(di, 1)));
  }

  // Pairs of zeros and normal numbers: of others the sums become wrong, and wereOdd() tells.
  void addPlain(const float* references, const float* values) {
    const auto x = hn::LoadU(FloatTag(), references);
    const auto y = hn::LoadU(FloatTag(), values);
    smallest = hn::Min(smallest, hn::Min(magnitudeBelowZero(x), magnitudeBelowZero(y)));
    addFinite(hn::PromoteTo(DoubleTag(), x), hn::PromoteTo(DoubleTag(), y));
  }

  // A difference with an infinity or a NaN leaves its sum infinite or NaN.
  bool wereOdd() const {
    const auto denormal = hn::Lt(smallest, hn::Set(UnsignedTag(), 0x00FFFFFFU));
    return !hn::AllFalse(UnsignedTag(), denormal) ||
           !hn::AllTrue(DoubleTag(), hn::IsFinite(squaredError));
  }

  void store(ErrorLanes& lanes, std::size_t first) const {
    const DoubleTag d;
    hn::Store(referenceSquared, d, lanes.referenceSquared.data() + first);
    hn::Store(valueSquared, d, lanes.valueSquared.data() + first);
    hn::Store(product, d, lanes.product.data() + first);
    hn::Store(error, d, lanes.error.data() + first);
    hn::Store(absoluteError, d, lanes.absoluteError.data() + first);
    hn::Store(squaredError, d, lanes.squaredError.data() + first);
    hn::Store(maxAbsoluteError, d, lanes.maxAbsoluteError.data() + first);
    hn::Store(nonFinite, IntTag(), lanes.nonFinite.data() + first);
  }

 private:
  // A product of two floats is exact, so that one rounding is as good as two.
  void addFinite(DoubleVector x, DoubleVector y) {
    const DoubleVector difference = hn::Sub(y, x);
    const DoubleVector absolute = hn::Abs(difference);
    referenceSquared = hn::MulAdd(x, x, referenceSquared);
    valueSquared = hn::MulAdd(y, y, valueSquared);
    product = hn::MulAdd(x, y, product);
    error = hn::Add(error, difference);
    absoluteError = hn::Add(absoluteError, absolute);
    squaredError = hn::Add(squaredError, hn::Mul(difference, difference));
    maxAbsoluteError = hn::Max(maxAbsoluteError, absolute);
  }

  // Twice the bits without the sign, less one: below 2^24 - 1 for a denormal; for 0 the largest.
  static hn::Vec<UnsignedTag> magnitudeBelowZero(FloatVector x) {
    const auto bits = hn::BitCast(UnsignedTag(), x);
    return hn::Sub(hn::Add(bits, bits), hn::Set(UnsignedTag(), 1U));
  }

  static hn::Mask<IntTag> isFinite(hn::Vec<IntTag> bits) {
    const IntTag di;
    return hn::Lt(hn::And(bits, hn::Set(di, 0x7FFFFFFF)), hn::Set(di, 0x7F800000));
  }

  // The conversion takes a denormal for 0 or not, as the unit is set. So it gets the exponent of
  // the smallest normal number, 2^-126, and loses that again as a double, exactly.
  static DoubleVector toDouble(hn::Vec<IntTag> bits) {
    const IntTag di;
    const auto magnitude = hn::And(bits, hn::Set(di, 0x7FFFFFFF));
    const auto normal = hn::Gt(magnitude, hn::Set(di, 0x007FFFFF));
    if (HWY_LIKELY(hn::AllTrue(di, hn::Or(normal, hn::Eq(magnitude, hn::Zero(di)))))) {
      return promoted(hn::IfThenElseZero(normal, bits));
    }
    const auto smallest = hn::Set(di, 0x00800000);
    const auto sign = hn::AndNot(hn::Set(di, 0x7FFFFFFF), bits);
    return hn::Sub(promoted(hn::IfThenElse(normal, bits, hn::Or(bits, smallest))),
                   promoted(hn::IfThenElseZero(hn::Not(normal), hn::Or(sign, smallest))));
  }

  static DoubleVector promoted(hn::Vec<IntTag> bits) {
    return hn::PromoteTo(DoubleTag(), hn::BitCast(FloatTag(), bits));
  }
};

constexpr std::size_t kVectors = kLanes / hn::MaxLanes(DoubleTag());

using AllSums = std::array<LaneSums, kVectors>;

template <class AddPairs>
void forEachStep(const float* reference, const float* value, std::size_t steps, std::size_t stride,
                 AllSums& sums, const AddPairs& addPairs) {
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t i = step * stride + v * hn::Lanes(DoubleTag());
      hwy::Prefetch(reference + i + kPrefetchAhead);
      hwy::Prefetch(value + i + kPrefetchAhead);
      addPairs(sums[v], reference + i, value + i);
    }
  }
}

// Adds steps · kLanes pairs: at each step kLanes neighbours, `stride` elements after the last ones.
void addSteps(const float* reference, const float* value, std::size_t steps, std::size_t stride,
              ErrorLanes& lanes) {
  AllSums sums;
  for (std::size_t v = 0; v < kVectors; ++v) sums[v].load(lanes, v * hn::Lanes(DoubleTag()));
  for (std::size_t first = 0; first < steps; first += kStepsAtOnce) {
    const std::size_t count = std::min(kStepsAtOnce, steps - first);
    const float* x = reference + first * stride;
    const float* y = value + first * stride;
    AllSums plain = sums;
    forEachStep(x, y, count, stride, plain,
                [](LaneSums& lane, const float* a, const float* b) { lane.addPlain(a, b); });
    if (HWY_LIKELY(std::ranges::none_of(plain, &LaneSums::wereOdd))) {
      sums = plain;
      continue;
    }
    forEachStep(x, y, count, stride, sums,
                [](LaneSums& lane, const float* a, const float* b) { lane.add(a, b); });
  }
  for (std::size_t v = 0; v < kVectors; ++v) sums[v].store(lanes, v * hn::Lanes(DoubleTag()));
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(addSteps);

// 32 rows of 1,024 channels take 256 KiB, references and values together.
constexpr std::size_t kRows = 32;

// Bounds the 32-bit counters of lanes that are channels.
constexpr std::size_t kMaxRows = std::size_t{1} << 30;

ErrorSums lane(const ErrorLanes& lanes, std::size_t i, std::size_t pairs) {
  const auto nonFinite = static_cast<std::size_t>(lanes.nonFinite[i]);
  return {
      pairs - nonFinite,        nonFinite,      lanes.referenceSquared[i], lanes.valueSquared[i],
      lanes.product[i],         lanes.error[i], lanes.absoluteError[i],    lanes.squaredError[i],
      lanes.maxAbsoluteError[i]};
}

ErrorSums fold(const ErrorLanes& lanes, std::size_t pairs) {
  std::array<ErrorSums, kLanes> sums;
  for (std::size_t i = 0; i < kLanes; ++i) {
    // Lane i took the pairs i, i + kLanes, … .
    sums[i] = lane(lanes, i, (pairs + kLanes - 1 - i) / kLanes);
  }
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) sums[i].add(sums[i + half]);
  }
  return sums[0];
}

// `width` ≤ kLanes neighbours in each of `rows` rows, `stride` elements apart; zeros fill up.
void addRows(const float* reference, const float* value, std::size_t rows, std::size_t stride,
             std::size_t width, ErrorLanes& lanes) {
  if (width == kLanes) {
    HWY_DYNAMIC_DISPATCH(addSteps)(reference, value, rows, stride, lanes);
    return;
  }
  alignas(64) std::array<float, kLanes> paddedReference{};
  alignas(64) std::array<float, kLanes> paddedValue{};
  for (std::size_t row = 0; row < rows; ++row) {
    std::copy_n(reference + row * stride, width, paddedReference.data());
    std::copy_n(value + row * stride, width, paddedValue.data());
    HWY_DYNAMIC_DISPATCH(addSteps)(paddedReference.data(), paddedValue.data(), 1, kLanes, lanes);
  }
}

// Neighbours are different channels: each lane sums one of them. A few rows at a time, so that
// they stay in the cache while all channels pass.
void addChannelsLast(const float* reference, const float* value, const ChannelLayout& layout,
                     std::span<ErrorSums> result) {
  const std::size_t channels = layout.channels;
  std::vector<ErrorLanes> lanes((channels + kLanes - 1) / kLanes);
  for (std::size_t row = 0; row < layout.outer; row += kRows) {
    const std::size_t rows = std::min(kRows, layout.outer - row);
    for (std::size_t c = 0; c < channels; c += kLanes) {
      const std::size_t first = row * channels + c;
      addRows(reference + first, value + first, rows, channels, std::min(kLanes, channels - c),
              lanes[c / kLanes]);
    }
  }
  for (std::size_t c = 0; c < channels; ++c) {
    result[c].add(lane(lanes[c / kLanes], c % kLanes, layout.outer));
  }
}

}  // namespace

void ErrorSums::add(const ErrorSums& other) {
  count += other.count;
  nonFinite += other.nonFinite;
  referenceSquared += other.referenceSquared;
  valueSquared += other.valueSquared;
  product += other.product;
  error += other.error;
  absoluteError += other.absoluteError;
  squaredError += other.squaredError;
  maxAbsoluteError = std::max(maxAbsoluteError, other.maxAbsoluteError);
}

ErrorSums errorSums(std::span<const float> reference, std::span<const float> value) {
  requireSameLength(reference.size(), value.size());
  ErrorLanes lanes;
  const std::size_t steps = reference.size() / kLanes;
  const std::size_t tail = reference.size() % kLanes;
  HWY_DYNAMIC_DISPATCH(addSteps)(reference.data(), value.data(), steps, kLanes, lanes);
  if (tail > 0) {
    addRows(reference.data() + steps * kLanes, value.data() + steps * kLanes, 1, kLanes, tail,
            lanes);
  }
  return fold(lanes, reference.size());
}

void errorSumsPerChannel(std::span<const float> reference, std::span<const float> value,
                         ChannelLayout layout, std::span<ErrorSums> result) {
  requireSameLength(reference.size(), value.size());
  requireLayout(layout, reference.size(), result.size());
  if (layout.inner == 1) {
    for (std::size_t row = 0; row < layout.outer; row += kMaxRows) {
      const ChannelLayout rows{std::min(kMaxRows, layout.outer - row), layout.channels, 1};
      const std::size_t first = row * layout.channels;
      addChannelsLast(reference.data() + first, value.data() + first, rows, result);
    }
    return;
  }
  for (std::size_t c = 0; c < layout.channels; ++c) {
    ErrorSums sums;
    for (std::size_t o = 0; o < layout.outer; ++o) {
      const std::size_t first = (o * layout.channels + c) * layout.inner;
      sums.add(
          errorSums(reference.subspan(first, layout.inner), value.subspan(first, layout.inner)));
    }
    result[c].add(sums);
  }
}

}  // namespace quantscope
#endif
