#include "engine/onednn/sgemm.h"

#include <algorithm>
#include <vector>

#include "engine/onednn/onednn.h"

namespace quantscope::onednn {
namespace {

void callSgemm(MatrixView a, MatrixView b, float* y, std::int64_t m, std::int64_t n,
               std::int64_t k) {
  translated([&] {
    dnnl::error::wrap_c_api(
        dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', m, n, k, 1.0F, a.data,
                   a.transposed ? m : k, b.data, b.transposed ? k : n, 0.0F, y, n),
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
  std::copy_n(a.data, k, rows);
  std::copy_n(a.data, k, rows + k);
  callSgemm({rows, false}, b, results, 2, n, k);
  std::copy_n(results, n, y);
}

}  // namespace quantscope::onednn
