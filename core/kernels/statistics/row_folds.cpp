#include "kernels/statistics/row_folds.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/statistics/row_folds.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

struct Largest {
  static constexpr float kStart = std::numeric_limits<float>::lowest();
  // Not Max(), whose result for NaN and for zeros of both signs depends on the target.
  template <class Vec>
  Vec operator()(Vec best, Vec x) const {
    return hn::IfThenElse(hn::Gt(x, best), x, best);
  }
};

struct Sum {
  static constexpr float kStart = 0;
  template <class Vec>
  Vec operator()(Vec sum, Vec x) const {
    return hn::Add(sum, x);
  }
};

// Folds whole vectors from column c on; returns the first column left out.
template <class D, class Fold>
std::size_t foldVectors(D d, const float* rows, std::span<const std::int64_t> starts,
                        std::span<float> y, std::size_t c, Fold fold) {
  for (; c + hn::Lanes(d) <= y.size(); c += hn::Lanes(d)) {
    auto folded = hn::Set(d, Fold::kStart);
    for (const std::int64_t start : starts) folded = fold(folded, hn::LoadU(d, rows + start + c));
    hn::StoreU(folded, d, y.data() + c);
  }
  return c;
}

template <class Fold>
void foldRows(const float* rows, std::span<const std::int64_t> starts, std::span<float> y,
              Fold fold) {
  std::size_t c = foldVectors(hn::ScalableTag<float>(), rows, starts, y, 0, fold);
  c = foldVectors(hn::CappedTag<float, 8>(), rows, starts, y, c, fold);
  c = foldVectors(hn::CappedTag<float, 4>(), rows, starts, y, c, fold);
  foldVectors(hn::CappedTag<float, 1>(), rows, starts, y, c, fold);
}

void foldLargest(const float* rows, std::span<const std::int64_t> starts, std::span<float> y) {
  foldRows(rows, starts, y, Largest());
}
void foldSum(const float* rows, std::span<const std::int64_t> starts, std::span<float> y) {
  foldRows(rows, starts, y, Sum());
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(foldLargest);
HWY_EXPORT(foldSum);

}  // namespace

void largestOfRows(const float* rows, std::span<const std::int64_t> starts, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(foldLargest)(rows, starts, y);
}

void sumOfRows(const float* rows, std::span<const std::int64_t> starts, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(foldSum)(rows, starts, y);
}

}  // namespace quantscope
#endif
