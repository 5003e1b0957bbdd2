#include "kernels/network/winograd.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/network/winograd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/put_between-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, kWinogradChannels>;
using Vec = hn::Vec<Tag>;

constexpr std::size_t kLanes = hn::MaxLanes(Tag());

// One column of G · w.
HWY_INLINE void expand(const Vec (&w)[3], Vec (&u)[4]) {
  const Vec half = hn::Set(Tag(), 0.5F);
  const Vec outer = hn::Add(w[0], w[2]);
  u[0] = w[0];
  u[1] = hn::Mul(half, hn::Add(outer, w[1]));
  u[2] = hn::Mul(half, hn::Sub(outer, w[1]));
  u[3] = w[2];
}

// One column of Bᵀ · x.
HWY_INLINE void combine(const Vec (&x)[4], Vec (&v)[4]) {
  v[0] = hn::Sub(x[0], x[2]);
  v[1] = hn::Add(x[1], x[2]);
  v[2] = hn::Sub(x[2], x[1]);
  v[3] = hn::Sub(x[1], x[3]);
}

// One column of Aᵀ · m.
HWY_INLINE void reduce(const Vec (&m)[4], Vec (&y)[2]) {
  y[0] = hn::Add(hn::Add(m[0], m[1]), m[2]);
  y[1] = hn::Sub(hn::Sub(m[1], m[2]), m[3]);
}

HWY_INLINE void transformFilters(const float* weights, float* to, std::size_t stride) {
  const Tag d;
  Vec rows[3][4];  // G · w, transposed
  for (std::size_t column = 0; column < 3; ++column) {
    Vec w[3];
    for (std::size_t row = 0; row < 3; ++row) {
      w[row] = hn::LoadU(d, weights + (row * 3 + column) * kWinogradChannels);
    }
    expand(w, rows[column]);
  }
  for (std::size_t row = 0; row < 4; ++row) {
    const Vec w[3] = {rows[0][row], rows[1][row], rows[2][row]};
    Vec u[4];
    expand(w, u);
    for (std::size_t column = 0; column < 4; ++column) {
      hn::StoreU(u[column], d, to + (row * 4 + column) * stride);
    }
  }
}

void filters(const float* weights, std::size_t channels, float* transformed, std::size_t stride) {
  for (std::size_t channel = 0; channel < channels; ++channel) {
    for (std::size_t first = 0; first < kWinogradChannels; first += kLanes) {
      transformFilters(weights + first, transformed + first, stride);
    }
    weights += kWinogradTaps * kWinogradChannels;
    transformed += kWinogradChannels;
  }
}

HWY_INLINE void transformInputs(const WinogradInputs& inputs, std::size_t first, float* to,
                                std::size_t stride) {
  const Tag d;
  Vec rows[4][4];  // Bᵀ · x, transposed
  for (std::size_t column = 0; column < 4; ++column) {
    Vec x[4];
    for (std::size_t row = 0; row < 4; ++row) {
      x[row] = hn::LoadU(d, inputs[row * 4 + column] + first);
    }
    combine(x, rows[column]);
  }
  for (std::size_t row = 0; row < 4; ++row) {
    const Vec x[4] = {rows[0][row], rows[1][row], rows[2][row], rows[3][row]};
    Vec v[4];
    combine(x, v);
    for (std::size_t column = 0; column < 4; ++column) {
      hn::StoreU(v[column], d, to + (row * 4 + column) * stride + first);
    }
  }
}

void inputs(std::span<const WinogradInputs> tiles, std::size_t channels, float* transformed,
            std::size_t stride) {
  for (const WinogradInputs& tile : tiles) {
    // The last vector overlaps the one before it.
    for (std::size_t i = 0; i < channels; i += kLanes) {
      transformInputs(tile, std::min(i, channels - kLanes), transformed, stride);
    }
    transformed += channels;
  }
}

// Adds to `wrong` what is 0 for finite sums and NaN for others.
HWY_INLINE void transformOutputs(const WinogradResults& results, const float* products,
                                 std::size_t first, const WinogradOutputs& outputs, Vec& wrong) {
  const Tag d;
  Vec rows[4][2];  // Aᵀ · m, transposed
  for (std::size_t column = 0; column < 4; ++column) {
    Vec m[4];
    for (std::size_t row = 0; row < 4; ++row) {
      m[row] = hn::LoadU(d, products + (row * 4 + column) * results.filters + first);
    }
    reduce(m, rows[column]);
  }
  const Vec bias = results.bias == nullptr ? hn::Zero(d) : hn::LoadU(d, results.bias + first);
  for (std::size_t row = 0; row < 2; ++row) {
    const Vec m[4] = {rows[0][row], rows[1][row], rows[2][row], rows[3][row]};
    Vec y[2];
    reduce(m, y);
    for (std::size_t column = 0; column < 2; ++column) {
      float* const to = outputs[row * 2 + column];
      if (to == nullptr) continue;
      Vec sum = y[column];
      if (results.bias != nullptr) sum = hn::Add(sum, bias);
      wrong = hn::Add(wrong, hn::Sub(sum, sum));
      if (results.bounds.matter()) sum = putBetween(d, sum, results.bounds);
      hn::StoreU(sum, d, to + first);
    }
  }
}

bool outputs(const WinogradResults& results, std::span<const WinogradOutputs> tiles) {
  const Tag d;
  Vec wrong = hn::Zero(d);
  const float* products = results.products;
  for (const WinogradOutputs& tile : tiles) {
    for (std::size_t first = 0; first < results.filters; first += kLanes) {
      transformOutputs(results, products, first, tile, wrong);
    }
    products += results.stride;
  }
  return hn::AllTrue(d, hn::Eq(wrong, hn::Zero(d)));
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(filters);
HWY_EXPORT(inputs);
HWY_EXPORT(outputs);

}  // namespace

void winogradFilters(const float* weights, std::size_t channels, float* transformed,
                     std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(filters)(weights, channels, transformed, stride);
}

void winogradInputs(std::span<const WinogradInputs> tiles, std::size_t channels, float* transformed,
                    std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(inputs)(tiles, channels, transformed, stride);
}

bool winogradOutputs(const WinogradResults& results, std::span<const WinogradOutputs> tiles) {
  return HWY_DYNAMIC_DISPATCH(outputs)(results, tiles);
}

}  // namespace quantscope
#endif
