#pragma once

#include <cstdint>

#include "engine/panel_matrix.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Products of activations with the weights of one node.
class MatrixProduct {
 public:
  /// `constantWeights`: they are worth being kept in panels. `transposed`: they come as [N, K].
  MatrixProduct(bool constantWeights, bool transposed);

  /// y [m, N] = x [m, K] · weights [K, N] + bias [N] (none where undefined); float32, row-major.
  /// A row of y has the same bits for any m.
  void run(const float* x, std::int64_t m, const Tensor& weights, const Tensor& bias,
           float* y) const;

 private:
  bool m_transposed;
  PanelFactor m_panels;
};

}  // namespace quantscope
