#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/recent_cache.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Weights and biases of a recurrent node in the order in which they are multiplied, one entry
/// per direction.
struct RecurrentWeights {
  Tensor w, r, b;                 ///< where they came from; b may be undefined
  std::vector<Tensor> input;      ///< [I, G·H]
  std::vector<Tensor> recurrent;  ///< [H, G·H]
  std::vector<Tensor> bias;  ///< [G·H], added to the products with the input; may be undefined
};

/// Rearranges the weights of one node, and keeps them for the tensors seen last.
class RecurrentWeightCache {
 public:
  RecurrentWeightCache();

  /// w [D, G·H, I], r [D, G·H, H], b [D, 2·G·H] or undefined; the shapes have been checked.
  /// The last `separateBiases` elements of each recurrent bias are left out of the sums.
  std::shared_ptr<const RecurrentWeights> get(const Tensor& w, const Tensor& r, const Tensor& b,
                                              std::int64_t separateBiases) const;

 private:
  RecentCache<RecurrentWeights> m_cache;
};

}  // namespace quantscope
