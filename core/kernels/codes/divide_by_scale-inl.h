// Compiled once for each of Highway's targets; included by kernels after hwy/highway.h.
#if defined(QUANTSCOPE_KERNELS_DIVIDE_BY_SCALE) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTSCOPE_KERNELS_DIVIDE_BY_SCALE
#undef QUANTSCOPE_KERNELS_DIVIDE_BY_SCALE
#else
#define QUANTSCOPE_KERNELS_DIVIDE_BY_SCALE
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

// x / scale, whether or not the floating-point unit takes denormals for 0: a denormal x is
// m · 2^−149 with an integer m, so its quotient is m / (scale · 2^149). Where that divisor
// overflows the quotient is far below one half either way. The scale is normal.
template <class Vector>
Vector divideByScale(Vector x, Vector scale) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::DFromV<Vector> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto magnitude = hn::And(hn::BitCast(di, x), hn::Set(di, 0x7FFFFFFF));
  const auto isDenormal = hn::RebindMask(d, hn::Lt(magnitude, hn::Set(di, 0x00800000)));
  const Vector mantissa = hn::CopySign(hn::ConvertTo(d, magnitude), x);
  const Vector magnified = hn::Mul(hn::Mul(scale, hn::Set(d, 0x1p75F)), hn::Set(d, 0x1p74F));
  return hn::Div(hn::IfThenElse(isDenormal, mantissa, x),
                 hn::IfThenElse(isDenormal, magnified, scale));
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
