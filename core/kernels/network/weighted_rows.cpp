#include "kernels/network/weighted_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/network/weighted_rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/fused_multiply_add-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
// Capped, since a row has no more columns for sure.
using Tag = hn::CappedTag<float, kWeightedColumns>;
using Vec = hn::Vec<Tag>;

Vec addProduct(float weight, const float* row, Vec sum) {
  const Tag d;
  return fusedMultiplyAdd(d, hn::Set(d, weight), hn::LoadU(d, row), sum);
}

// Rows [first, last) of one vector of columns.
Vec sumBlock(const float* weights, const float* rows, std::size_t first, std::size_t last,
             std::size_t stride) {
  Vec sum = hn::Zero(Tag());
  for (std::size_t k = first; k < last; ++k) sum = addProduct(weights[k], rows + k * stride, sum);
  return sum;
}

void inBlocks(const float* weights, std::size_t count, const float* rows, std::size_t block,
              float* y, std::size_t columns) {
  const Tag d;
  for (std::size_t n = 0; n < columns; n += hn::Lanes(d)) {
    Vec total = sumBlock(weights, rows + n, 0, std::min(block, count), columns);
    for (std::size_t k = block; k < count; k += block) {
      total = hn::Add(total, sumBlock(weights, rows + n, k, std::min(k + block, count), columns));
    }
    hn::StoreU(total, d, y + n);
  }
}

void byFours(const float* weights, std::size_t count, const float* rows, float* y,
             std::size_t columns) {
  const Tag d;
  for (std::size_t n = 0; n < columns; n += hn::Lanes(d)) {
    const auto product = [&](std::size_t k) {
      return hn::Mul(hn::Set(d, weights[k]), hn::LoadU(d, rows + k * columns + n));
    };
    Vec total = hn::Zero(d);
    for (std::size_t k = 0; k < count; k += 4) {
      Vec sum = product(k);
      for (std::size_t i = k + 1; i < std::min(k + 4, count); ++i) sum = hn::Add(sum, product(i));
      total = hn::Add(total, sum);
    }
    hn::StoreU(total, d, y + n);
  }
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(inBlocks);
HWY_EXPORT(byFours);

}  // namespace

void sumRowsInBlocks(std::span<const float> weights, const float* rows, std::size_t block,
                     std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(inBlocks)
  (weights.data(), weights.size(), rows, block, y.data(), y.size());
}

void sumRowsByFours(std::span<const float> weights, const float* rows, std::span<float> y) {
  HWY_DYNAMIC_DISPATCH(byFours)(weights.data(), weights.size(), rows, y.data(), y.size());
}

}  // namespace quantscope
#endif
