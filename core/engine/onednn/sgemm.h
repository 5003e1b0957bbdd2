#pragma once

#include <cstdint>

namespace quantscope::onednn {

/// A float32 matrix in row-major memory, read as its transpose where `transposed`.
struct MatrixView {
  const float* data;
  bool transposed = false;
  /// Elements between the starts of neighbouring rows in memory; 0 = the rows are dense.
  std::int64_t stride = 0;
};

/// y [m, n] = a [m, k] · b [k, n], y dense.
///
/// A row of y has the same bits for any m: a run over one sample gives what a batch gives.
/// Where m = 1 is frequent, two equal rows passed at once cost less.
void multiply(MatrixView a, MatrixView b, float* y, std::int64_t m, std::int64_t n, std::int64_t k);

/// The same in a single call, several times as fast: for products whose rows need not have the same
/// bits for any m.
void multiplyAtOnce(MatrixView a, MatrixView b, float* y, std::int64_t m, std::int64_t n,
                    std::int64_t k);

}  // namespace quantscope::onednn
