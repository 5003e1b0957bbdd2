#pragma once

#include <memory>
#include <vector>

#include "engine/onednn/onednn.h"
#include "engine/recent_cache.h"
#include "tensor/element_memory.h"
#include "tensor/tensor.h"

namespace quantscope::onednn {

/// Weights in the order that a primitive likes best, together with the tensor they came from: as
/// one, or as equal parts one after the other, for primitives that take one part each.
struct PackedWeights {
  Tensor source;             ///< held, so that its elements cannot become another tensor's
  dnnl::memory::desc order;  ///< of a part
  std::size_t parts = 1;
  /// By part; empty where the source is already in that order.
  std::vector<ElementMemory> memories = {};

  const void* data(std::size_t part = 0) const;
};

/// Reorders the weights of one node and keeps the results for the tensors seen last: a node meets
/// its own weights in every run, and one more tensor per quantization that is being evaluated.
class WeightPacker {
 public:
  /// `constant`: the node's weights are a constant of the graph. Weights that are computed anew
  /// in every run would only fill the cache.
  explicit WeightPacker(bool constant);

  /// `weights`, float32 and Plain, of each of whose parts `plain` describes the elements, in the
  /// order of `wanted`.
  std::shared_ptr<const PackedWeights> pack(const Tensor& weights, const dnnl::memory::desc& plain,
                                            const dnnl::memory::desc& wanted,
                                            std::size_t parts = 1) const;

 private:
  MemoryUse m_use;
  RecentCache<PackedWeights> m_cache;
};

}  // namespace quantscope::onednn
