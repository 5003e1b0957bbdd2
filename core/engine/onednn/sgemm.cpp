#include "engine/onednn/sgemm.h"

#include <algorithm>
#include <vector>

#include "engine/onednn/onednn.h"

namespace quantscope::onednn {
namespace {

std::int64_t rowStride(MatrixView matrix, std::int64_t rows, std::int64_t columns) {
  if (matrix.stride != 0) return matrix.stride;
  return matrix.transposed ? rows : columns;
}

void callSgemm(MatrixView a, MatrixView b, float* y, std::int64_t m, std::int64_t n,
               std::int64_t k) {
  translated([&] {
    dnnl::error::wrap_c_api(
        dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', m, n, k, 1.0F, a.data,
                   rowStride(a, m, k), b.data, rowStride(b, k, n), 0.0F, y, n),
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
  if (m > 1) {
    callSgemm(a, b, y, m, n, k);
    return;
  }
  // A single row goes through another kernel, which sums in another order.
  std::vector<float> buffer(static_cast<std::size_t>(2 * (k + n)));
  float* rows = buffer.data();
  float* results = rows + 2 * k;
  const std::int64_t step = a.transposed ? rowStride(a, m, k) : 1;
  for (std::int64_t i = 0; i < k; ++i) rows[i] = rows[k + i] = a.data[i * step];
  callSgemm({rows}, b, results, 2, n, k);
  std::copy_n(results, n, y);
}

}  // namespace quantscope::onednn
