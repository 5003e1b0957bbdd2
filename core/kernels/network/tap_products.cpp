// Sums stay in a tile of registers over all taps, filters × vectors of places. A tile of 24 keeps
// both multipliers of a core with 32 registers busy; with 16 registers there is room for 12.

#include "kernels/network/tap_products.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/network/tap_products.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/fused_multiply_add-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quantscope::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET <= HWY_AVX3
constexpr std::size_t kTile = 24;
#else
constexpr std::size_t kTile = 12;
#endif

using Taps = std::span<const float* const>;

// Calls piece<size>(start) until [0, count) is covered; size: 1 … min(kLength, count). The last
// piece reaches back over the one before it: the same is computed again.
template <std::size_t kLength, class Piece>
HWY_INLINE void cover(std::size_t count, std::size_t size, const Piece& piece) {
  if constexpr (kLength > 1) {
    if (size < kLength) return cover<kLength - 1>(count, size, piece);
  }
  std::size_t start = 0;
  for (; start + kLength <= count; start += kLength) piece.template operator()<kLength>(start);
  if (start < count) piece.template operator()<kLength>(count - kLength);
}

// Capped, since there are no more places for sure.
using Tag = hn::CappedTag<float, kTapPlaces>;

// `kFilters` filters from `first` on, `kVectors` vectors of places from `place` on.
template <std::size_t kFilters, std::size_t kVectors>
HWY_INLINE void tile(Taps taps, const TapFilters& filters, std::size_t first, std::size_t place,
                     std::size_t places, float* y) {
  const Tag d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<Tag> sums[kFilters][kVectors];
  for (auto& row : sums) {
    for (auto& sum : row) sum = hn::Zero(d);
  }
  const float* weights = filters.weights + first;
  for (const float* tap : taps) {
    hn::Vec<Tag> x[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) x[v] = hn::LoadU(d, tap + place + v * lanes);
    for (std::size_t f = 0; f < kFilters; ++f) {
      const auto factor = hn::Set(d, weights[f]);
      for (std::size_t v = 0; v < kVectors; ++v) {
        sums[f][v] = fusedMultiplyAdd(d, x[v], factor, sums[f][v]);
      }
    }
    weights += filters.count;
  }
  for (std::size_t f = 0; f < kFilters; ++f) {
    for (std::size_t v = 0; v < kVectors; ++v) {
      auto sum = sums[f][v];
      if (filters.bias != nullptr) sum = hn::Add(sum, hn::Set(d, filters.bias[first + f]));
      hn::StoreU(sum, d, y + (first + f) * places + place + v * lanes);
    }
  }
}

// Handles whole groups of filters from `first` on; returns the first filter left out.
template <std::size_t kFilters>
std::size_t tiles(Taps taps, const TapFilters& filters, std::size_t first, std::size_t places,
                  float* y) {
  constexpr std::size_t kVectors = std::min<std::size_t>(8, kTile / kFilters);
  const std::size_t lanes = hn::Lanes(Tag());
  const std::size_t vectors = places / lanes;
  if (vectors == 0) return first;
  // As few pieces as can be, all equal, so that little is computed twice.
  const std::size_t pieces = (vectors + kVectors - 1) / kVectors;
  const std::size_t size = (vectors + pieces - 1) / pieces;
  for (; first + kFilters <= filters.count; first += kFilters) {
    cover<kVectors>(vectors, size, [&]<std::size_t kSome>(std::size_t vector) {
      tile<kFilters, kSome>(taps, filters, first, vector * lanes, places, y);
    });
  }
  return first;
}

void multiply(Taps taps, const TapFilters& filters, std::size_t places, float* y) {
  std::size_t first = tiles<4>(taps, filters, 0, places, y);
  first = tiles<3>(taps, filters, first, places, y);
  first = tiles<2>(taps, filters, first, places, y);
  tiles<1>(taps, filters, first, places, y);
}

}  // namespace
}  // namespace quantscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quantscope {
namespace {

HWY_EXPORT(multiply);

}  // namespace

void multiplyTaps(std::span<const float* const> taps, const TapFilters& filters, std::size_t places,
                  float* y) {
  HWY_DYNAMIC_DISPATCH(multiply)(taps, filters, places, y);
}

}  // namespace quantscope
#endif
