#pragma once

#include <cstddef>
#include <span>

namespace quantscope {

// Sums along the columns of a matrix of `rows` × sums.size() elements, row-major, in the order of
// Eigen's reductions with vectors of four (see engine/operators/normalization/packet_sum.h): row r
// goes to sum r mod 8 as long as rows come in eights; the upper four are added to the lower four,
// then four more rows where they are left, and (s0 + s2) + (s1 + s3) is the result. `rows` is a
// multiple of four. Every target of Highway's gives the same bits.

/// sums[c] = Σ x[r, c]
void packetColumnSums(const float* x, std::size_t rows, std::span<float> sums);

/// sums[c] = Σ (x[r, c] − means[c])²
void packetColumnSquares(const float* x, std::size_t rows, std::span<const float> means,
                         std::span<float> sums);

}  // namespace quantscope
