// Compiled once for each of Highway's targets; included by kernels after hwy/highway.h.
#if defined(QUANTSCOPE_KERNELS_FLOAT_VECTORS) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTSCOPE_KERNELS_FLOAT_VECTORS
#undef QUANTSCOPE_KERNELS_FLOAT_VECTORS
#else
#define QUANTSCOPE_KERNELS_FLOAT_VECTORS
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<float>;
using IntTag = hn::Rebind<std::int32_t, Tag>;
using Vec = hn::Vec<Tag>;
using IntVec = hn::Vec<IntTag>;

HWY_INLINE Vec constant(float value) {
  return hn::Set(Tag(), value);
}

// c0 + c1·x + c2·x² + …
template <class... Rest>
Vec polynomial(Vec x, float first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return constant(first);
  } else {
    return hn::Add(constant(first), hn::Mul(x, polynomial(x, rest...)));
  }
}

// Denormals as 0 with their sign, in integers: the floating-point unit may flush them or not.
HWY_INLINE Vec withoutDenormals(Vec x) {
  const IntTag di;
  const IntVec bits = hn::BitCast(di, x);
  const IntVec sign = hn::And(bits, hn::Set(di, static_cast<std::int32_t>(0x80000000U)));
  const auto normal = hn::Gt(hn::AndNot(sign, bits), hn::Set(di, 0x007FFFFF));
  return hn::BitCast(Tag(), hn::IfThenElse(normal, bits, sign));
}

// 2^n for −126 ≤ n ≤ 127
HWY_INLINE Vec powerOfTwo(IntVec n) {
  return hn::BitCast(Tag(), hn::ShiftLeft<23>(hn::Add(n, hn::Set(IntTag(), 127))));
}

// ln 2^−126 and the last number whose power of e is finite.
constexpr float kSmallestExponent = -87.33654F;
constexpr float kLargestExponent = 88.72283F;

// x = n·ln 2 + r with |r| ≤ ln 2 / 2, for x between the two exponents.
struct ReducedExponent {
  explicit HWY_INLINE ReducedExponent(Vec x) {
    n = hn::NearestInt(hn::Mul(x, constant(1.44269504F)));
    const Vec whole = hn::ConvertTo(Tag(), n);
    // ln 2 in two parts; the first has so few digits that its product with n is exact.
    const Vec rough = hn::Sub(x, hn::Mul(whole, constant(0x1.62E4p-1F)));
    r = hn::Sub(rough, hn::Mul(whole, constant(1.42860677e-6F)));
  }

  // e^r − 1
  HWY_INLINE Vec powerMinusOne() const {
    const Vec tail =
        polynomial(r, 0.49999994F, 0.166665152F, 0.041668456F, 0.00836941879F, 0.00138131448F);
    return hn::Add(r, hn::Mul(hn::Mul(r, r), tail));
  }

  IntVec n;
  Vec r;
};

// e^x = 2^n·e^r; 0 below 2^−126. NaN gives any number.
HWY_INLINE Vec expOfNumber(Vec x) {
  const Vec smallest = constant(kSmallestExponent);
  const Vec largest = constant(kLargestExponent);
  const ReducedExponent reduced(hn::Min(hn::Max(x, smallest), largest));
  const Vec power = hn::Add(constant(1), reduced.powerMinusOne());
  // Scales in two steps, since 2^128 is not a float.
  const IntVec half = hn::ShiftRight<1>(reduced.n);
  const Vec y = hn::Mul(hn::Mul(power, powerOfTwo(half)), powerOfTwo(hn::Sub(reduced.n, half)));
  const Vec positive = hn::IfThenZeroElse(hn::Lt(x, smallest), y);
  return hn::IfThenElse(hn::Gt(x, largest), hn::Inf(Tag()), positive);
}

HWY_INLINE Vec keepNan(Vec x, Vec y) {
  return hn::IfThenElse(hn::IsNaN(x), x, y);
}

// y[i] = function(x[i]); x and y may be the same.
template <class Function>
void map(const float* x, float* y, std::size_t count, const Function& function) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(function(hn::LoadU(d, x + i)), d, y + i);
  if (i == count) return;
  HWY_ALIGN float tail[hn::MaxLanes(d)] = {};
  for (std::size_t k = 0; i + k < count; ++k) tail[k] = x[i + k];
  hn::Store(function(hn::Load(d, tail)), d, tail);
  for (std::size_t k = 0; i + k < count; ++k) y[i + k] = tail[k];
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
