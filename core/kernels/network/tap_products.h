#pragma once

#include <cstddef>
#include <span>

namespace quantscope {

/// Filters of a convolution: weights[tap · count + filter], and one bias per filter or nullptr.
struct TapFilters {
  const float* weights;
  const float* bias;
  std::size_t count;
};

/// Places come in multiples of this: the lanes of the widest target.
inline constexpr std::size_t kTapPlaces = 16;

/// Applies a few filters at `places` neighbouring places of a line; tap j reads taps[j] + p:
///
///   y[f · places + p] = (Σ_j taps[j][p] · weights[j · count + f]) + bias[f]
///
/// The sum starts at 0 and each product is added with a single rounding, tap after tap: every
/// target of Highway's gives the same bits. `places` is a multiple of kTapPlaces; y overlaps no
/// tap.
void multiplyTaps(std::span<const float* const> taps, const TapFilters& filters, std::size_t places,
                  float* y);

}  // namespace quantscope
