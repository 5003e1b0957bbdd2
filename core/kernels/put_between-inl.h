// Compiled once for each of Highway's targets; included by kernels after hwy/highway.h.
#if defined(QUANTSCOPE_KERNELS_PUT_BETWEEN) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTSCOPE_KERNELS_PUT_BETWEEN
#undef QUANTSCOPE_KERNELS_PUT_BETWEEN
#else
#define QUANTSCOPE_KERNELS_PUT_BETWEEN
#endif

#include "hwy/highway.h"
#include "kernels/element_bounds.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

// Choices instead of minimum and maximum, which differ for NaN and between zeros.
template <class D, class V>
HWY_INLINE V putBetween(D d, V x, const ElementBounds& bounds) {
  namespace hn = hwy::HWY_NAMESPACE;
  const V low = hn::Set(d, bounds.low);
  const V high = hn::Set(d, bounds.high);
  x = hn::IfThenElse(hn::Lt(x, low), low, x);
  return hn::IfThenElse(hn::Gt(x, high), high, x);
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
