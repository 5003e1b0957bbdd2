#include "engine/onednn/sgemm.h"

#include <algorithm>
#include <vector>

#include "engine/onednn/onednn.h"

namespace quantscope::onednn {
namespace {

constexpr std::int64_t kRows = 2;

std::int64_t rowStride(MatrixView matrix, std::int64_t rows, std::int64_t columns) {
  if (matrix.stride != 0) return matrix.stride;
  return matrix.transposed ? rows : columns;
}

void callSgemm(MatrixView a, MatrixView b, float* y, std::int64_t m, std::int64_t n, std::int64_t k,
               float beta = 0) {
  translated([&] {
    dnnl::error::wrap_c_api(
        dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', m, n, k, 1.0F, a.data,
                   rowStride(a, m, k), b.data, rowStride(b, k, n), beta, y, n),
        "could not multiply matrices");
  });
}

}  // namespace

void multiply(MatrixView a, MatrixView b, float* y, std::int64_t m, std::int64_t n,
              std::int64_t k) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    std::fill_n(y, m * n, 0.0F);
    return;
  }
  // The order of a sum depends on the number of rows (on AVX2 the first of 2 has other bits than
  // the first of 70), so rows go through in pairs, and a single one twice.
  const std::int64_t stride = rowStride(a, m, k);
  const std::int64_t step = a.transposed ? 1 : stride;
  for (std::int64_t row = 0; row + 1 < m; row += kRows) {
    callSgemm({a.data + row * step, a.transposed, stride}, b, y + row * n, kRows, n, k);
  }
  if (m % kRows == 0) return;
  std::vector<float> buffer(static_cast<std::size_t>(kRows * (k + n)));
  float* rows = buffer.data();
  float* results = rows + kRows * k;
  const float* last = a.data + (m - 1) * step;
  for (std::int64_t i = 0; i < k; ++i) rows[i] = rows[k + i] = last[a.transposed ? i * stride : i];
  callSgemm({rows}, b, results, kRows, n, k);
  std::copy_n(results, n, y + (m - 1) * n);
}

void multiplyAtOnce(MatrixView a, MatrixView b, float* y, std::int64_t m, std::int64_t n,
                    std::int64_t k, bool added) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    if (!added) std::fill_n(y, m * n, 0.0F);
    return;
  }
  callSgemm(a, b, y, m, n, k, added ? 1.0F : 0.0F);
}

}  // namespace quantscope::onednn
