// Compiled once for each of Highway's targets; included by kernels after hwy/highway.h.
#if defined(QUANTSCOPE_KERNELS_FUSED_MULTIPLY_ADD) == defined(HWY_TARGET_TOGGLE)
#ifdef QUANTSCOPE_KERNELS_FUSED_MULTIPLY_ADD
#undef QUANTSCOPE_KERNELS_FUSED_MULTIPLY_ADD
#else
#define QUANTSCOPE_KERNELS_FUSED_MULTIPLY_ADD
#endif

#include <cmath>
#include <cstddef>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

// a·b + c rounded once on every target.
template <class D, class V>
HWY_INLINE V fusedMultiplyAdd(D d, V a, V b, V c) {
  namespace hn = hwy::HWY_NAMESPACE;
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulAdd(a, b, c);
#else
  HWY_ALIGN float x[hn::MaxLanes(D())];
  HWY_ALIGN float y[hn::MaxLanes(D())];
  HWY_ALIGN float z[hn::MaxLanes(D())];
  hn::Store(a, d, x);
  hn::Store(b, d, y);
  hn::Store(c, d, z);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) x[i] = std::fma(x[i], y[i], z[i]);
  return hn::Load(d, x);
#endif
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
