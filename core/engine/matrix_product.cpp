#include "engine/matrix_product.h"

namespace quantscope {

MatrixProduct::MatrixProduct(bool constantWeights, bool transposed)
    : m_transposed(transposed), m_panels(constantWeights) {}

void MatrixProduct::run(const float* x, std::int64_t m, const Tensor& weights, const Tensor& bias,
                        float* y) const {
  const std::int64_t k = weights.shape()[m_transposed ? 1 : 0];
  const std::int64_t n = weights.shape()[m_transposed ? 0 : 1];
  const StridedMatrix matrix{weights.values<float>().data(), m_transposed ? 1 : n,
                             m_transposed ? k : 1};
  const float* addends = bias.defined() ? bias.values<float>().data() : nullptr;
  m_panels.of(weights, matrix, k, n)->multiply(x, m, addends, y);
}

}  // namespace quantscope
