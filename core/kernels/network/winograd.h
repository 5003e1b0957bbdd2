#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "kernels/element_bounds.h"

namespace quantscope {

// Winograd's filtering F(2 × 2, 3 × 3): a tile of 2 × 2 outputs of a 3 × 3 filter takes 16 products
// per channel and filter instead of 36,
//
//   y = Aᵀ · (Σ_channels (G · w · Gᵀ) ∘ (Bᵀ · x · B)) · A,
//
//        ⎡1  0 −1  0⎤       ⎡ 1   0   0⎤        ⎡1  1  1  0⎤
//   Bᵀ = ⎢0  1  1  0⎥   G = ⎢ ½   ½   ½⎥   Aᵀ = ⎣0  1 −1 −1⎦
//        ⎢0 −1  1  0⎥       ⎢ ½  −½   ½⎥
//        ⎣0  1  0 −1⎦       ⎣ 0   0   1⎦
//
// where x are the 4 × 4 inputs that the tile sees. Source: A. Lavin, S. Gray, Fast Algorithms for
// Convolutional Neural Networks, 2015. The 16 transformed elements are counted row by row.
//
// All sums have a fixed order, the same on every target. Their errors are relative to all 16 inputs
// of a tile, where those of direct sums are relative to the 9 that an output sees; the sums are so
// much shorter that they are the smaller ones as a rule (half of them in ResNet-18), but not beside
// an outlier. Where sums overflow, or where an input is not finite, the definition may give other
// numbers.

inline constexpr std::size_t kWinogradElements = 16;
inline constexpr std::size_t kWinogradTaps = 9;
/// Channels that these functions need at least, and of which filters come in multiples: the lanes
/// of the widest target.
inline constexpr std::size_t kWinogradChannels = 16;

/// Where the channels of a tile's 4 × 4 inputs lie, row by row.
using WinogradInputs = std::array<const float*, kWinogradElements>;
/// Where the filters of a tile's 2 × 2 outputs belong, row by row; nullptr = outside of the image.
using WinogradOutputs = std::array<float*, 4>;

/// G · w · Gᵀ of 16 filters side by side, weights [channels, 9, 16]; element e of channel c goes to
/// transformed[e · stride + c · 16 …].
void winogradFilters(const float* weights, std::size_t channels, float* transformed,
                     std::size_t stride);

/// Bᵀ · x · B of each tile and channel; element e of tile t goes to
/// transformed[e · stride + t · channels …].
void winogradInputs(std::span<const WinogradInputs> tiles, std::size_t channels, float* transformed,
                    std::size_t stride);

/// What becomes of the products of tiles.
struct WinogradResults {
  const float* products;  ///< element e of tile t: products[t · stride + e · filters …]
  std::size_t stride;
  std::size_t filters;
  const float* bias;  ///< [filters]; null = none
  ElementBounds bounds;
};

/// Aᵀ · m · A of each tile and filter, plus the bias, put between the bounds. False if a sum is not
/// finite.
bool winogradOutputs(const WinogradResults& results, std::span<const WinogradOutputs> tiles);

}  // namespace quantscope
