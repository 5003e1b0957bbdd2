#pragma once

#include <cstddef>
#include <span>

namespace quantscope {

/// Columns come in multiples of this: the lanes of the widest target.
inline constexpr std::size_t kWeightedColumns = 16;

// Sums of weighted rows, y[n] = Σ_k weights[k] · rows[k · y.size() + n], in one defined order of
// rounding, the same on every target. y.size() is a multiple of kWeightedColumns.

/// Blocks of `block` rows: within one, the sum starts at 0 and each product is added with a single
/// rounding; the sums of the blocks are added up.
void sumRowsInBlocks(std::span<const float> weights, const float* rows, std::size_t block,
                     std::span<float> y);

/// Four rows at a time: products are rounded, ((p0 + p1) + p2) + p3 is added to the sum so far.
void sumRowsByFours(std::span<const float> weights, const float* rows, std::span<float> y);

}  // namespace quantscope
