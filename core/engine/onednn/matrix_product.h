#pragma once

#include <memory>

#include "engine/onednn/primitive_call.h"
#include "engine/onednn/weight_packer.h"
#include "engine/panel_matrix.h"
#include "engine/recent_cache.h"
#include "tensor/tensor.h"

namespace quantscope::onednn {

/// Products of activations with the weights of one node.
class MatrixProduct {
 public:
  /// `constantWeights`: they are worth being packed. `transposed`: they come as [N, K].
  MatrixProduct(bool constantWeights, bool transposed);

  /// y [m, N] = x [m, K] · weights [K, N] + bias [N] (none where undefined); float32, row-major.
  /// A row of y has the same bits for any m.
  void run(const float* x, std::int64_t m, const Tensor& weights, const Tensor& bias,
           float* y) const;

 private:
  struct Prepared;
  struct Extents {
    std::int64_t m, n, k;
    friend bool operator==(const Extents&, const Extents&) = default;
  };
  std::shared_ptr<const Prepared> prepare(const Extents& extents, bool biased) const;
  void runRows(const float* x, std::int64_t m, const Tensor& weights, const float* bias,
               float* y) const;

  bool m_constantWeights;
  bool m_transposed;
  RecentCache<Prepared> m_prepared;
  WeightPacker m_packer;
  PanelFactor m_panels;
};

}  // namespace quantscope::onednn
