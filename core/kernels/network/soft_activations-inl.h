// Compiled once for each of Highway's targets; included by transcendental.cpp after hwy/highway.h.
#if defined(QUANTSCOPE_KERNELS_SOFT_ACTIVATIONS) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTSCOPE_KERNELS_SOFT_ACTIVATIONS
#undef QUANTSCOPE_KERNELS_SOFT_ACTIVATIONS
#else
#define QUANTSCOPE_KERNELS_SOFT_ACTIVATIONS
#endif

#include "hwy/highway.h"
#include "kernels/float_vectors-inl.h"
#include "kernels/network/soft_activations.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

// With s = f / (2 + f), ln(1 + f) = 2·artanh s = f − s·(f − R(s²)), where R is the series of artanh
// behind its first term: fdlibm's arrangement, in which f enters without rounding.
template <class... Coefficients>
Vec logOfOnePlus(Vec f, Coefficients... series) {
  const Vec s = hn::Div(f, hn::Add(constant(2), f));
  const Vec square = hn::Mul(s, s);
  const Vec rest = hn::Mul(square, polynomial(square, series...));
  return hn::Sub(f, hn::Mul(s, hn::Sub(f, rest)));
}

// x = 2^n·m with √½ ≤ m < √2. A denormal is its mantissa's integer times 2^−149.
struct NaturalLogarithm {
  Vec operator()(Vec x) const {
    const IntTag di;
    const IntVec bits = hn::BitCast(di, x);
    const auto denormal = hn::Lt(bits, hn::Set(di, 0x00800000));
    const IntVec mantissa = hn::BitCast(di, hn::ConvertTo(Tag(), bits));
    const IntVec normal = hn::IfThenElse(denormal, mantissa, bits);
    const IntVec rootHalf = hn::Set(di, 0x3F3504F3);
    const IntVec above = hn::Sub(normal, rootHalf);
    const IntVec n =
        hn::Add(hn::ShiftRight<23>(above), hn::IfThenElseZero(denormal, hn::Set(di, -149)));
    const IntVec m = hn::Add(hn::And(above, hn::Set(di, 0x007FFFFF)), rootHalf);
    const Vec f = hn::Sub(hn::BitCast(Tag(), m), constant(1));
    const Vec whole = hn::ConvertTo(Tag(), n);
    const Vec y = logOfOnePlus(f, 0.666666627F, 0.400003552F, 0.285359293F, 0.236098155F);
    const Vec low = hn::Add(y, hn::Mul(whole, constant(1.42860677e-6F)));
    return special(x, bits, hn::Add(hn::Mul(whole, constant(0x1.62E4p-1F)), low));
  }

  // Tests the bits, because a compare may flush denormals to 0.
  static Vec special(Vec x, IntVec bits, Vec y) {
    const IntTag di;
    const auto zero = hn::Eq(hn::ShiftLeft<1>(bits), hn::Zero(di));
    const auto negative = hn::Lt(bits, hn::Zero(di));
    const auto notFinite = hn::Gt(bits, hn::Set(di, 0x7F7FFFFF));
    const Vec number = hn::IfThenElse(hn::RebindMask(Tag(), notFinite), x, y);
    const Vec real = hn::IfThenElse(hn::RebindMask(Tag(), negative), hn::NaN(Tag()), number);
    return hn::IfThenElse(hn::RebindMask(Tag(), zero), hn::Neg(hn::Inf(Tag())), real);
  }
};

// max(x, 0) + ln(1 + e^−|x|)
struct Softplus {
  Vec operator()(Vec x) const {
    const Vec power = expOfNumber(hn::Neg(hn::Abs(x)));
    const Vec bend =
        logOfOnePlus(power, 0.666666746F, 0.39998889F, 0.286165953F, 0.214307413F, 0.242895573F);
    return keepNan(x, hn::Add(hn::Max(x, hn::Zero(Tag())), bend));
  }
};

// With e = e^x, tanh(ln(1 + e)) = n / (n + 2) where n = e·(e + 2).
struct Mish {
  Vec operator()(Vec given) const {
    const Vec x = withoutDenormals(given);
    // From 20 on the factor rounds to 1; the lower limit keeps −∞ from meeting the factor 0.
    const Vec inside = hn::Min(hn::Max(x, constant(-100)), constant(20));
    const Vec e = expOfNumber(inside);
    const Vec n = hn::Mul(e, hn::Add(e, constant(2)));
    const Vec bent = hn::Mul(inside, hn::Div(n, hn::Add(n, constant(2))));
    const Vec y = hn::IfThenElse(hn::Gt(x, constant(20)), x, withoutDenormals(bent));
    return keepNan(x, y);
  }
};

struct ExponentialLinearUnit {
  // e^x − 1 = 2^n·(e^r − 1) + (2^n − 1) for x ≤ 0
  Vec operator()(Vec given) const {
    const Vec x = withoutDenormals(given);
    const Vec scaled = hn::Mul(x, constant(factors.argument));
    const ReducedExponent reduced(
        hn::Min(hn::Max(scaled, constant(kSmallestExponent)), hn::Zero(Tag())));
    const Vec power = powerOfTwo(reduced.n);
    const Vec minusOne =
        hn::Add(hn::Mul(power, reduced.powerMinusOne()), hn::Sub(power, constant(1)));
    const Vec below = hn::Mul(constant(factors.negative), minusOne);
    const Vec above = hn::Mul(constant(factors.positive), x);
    const Vec y = hn::IfThenElse(hn::Lt(x, hn::Zero(Tag())), below, above);
    return keepNan(x, withoutDenormals(y));
  }

  ExponentialLinear factors;
};

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
