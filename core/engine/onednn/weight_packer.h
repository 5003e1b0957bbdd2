#pragma once

#include <memory>

#include "engine/onednn/onednn.h"
#include "engine/recent_cache.h"
#include "tensor/tensor.h"

namespace quantscope::onednn {

/// Weights in the order that a primitive likes best, together with the tensor they came from.
struct PackedWeights {
  Tensor source;  ///< held, so that its elements cannot become another tensor's
  dnnl::memory::desc order;
  dnnl::memory memory;  ///< empty where the source is already in that order

  const void* data() const;
};

/// Reorders the weights of one node and keeps the results for the tensors seen last: a node meets
/// its own weights in every run, and one more tensor per quantization that is being evaluated.
class WeightPacker {
 public:
  /// `constant`: the node's weights are a constant of the graph. Weights that are computed anew
  /// in every run would only fill the cache.
  explicit WeightPacker(bool constant);

  /// `weights`, float32 and Plain, whose elements `plain` describes, in the order of `wanted`.
  std::shared_ptr<const PackedWeights> pack(const Tensor& weights, const dnnl::memory::desc& plain,
                                            const dnnl::memory::desc& wanted) const;

 private:
  RecentCache<PackedWeights> m_cache;
};

}  // namespace quantscope::onednn
