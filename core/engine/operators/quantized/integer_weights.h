#pragma once

#include <memory>

#include "engine/operators/quantized/integer_product.h"
#include "engine/recent_cache.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Weights as deviations in the order in which they are multiplied.
struct IntegerWeights {
  Tensor codes, zeroPoint;  ///< where they came from, held as the key
  Deviations deviations;
};

/// Keeps the rearranged weights of one node, like onednn::WeightPacker.
class IntegerWeightCache {
 public:
  IntegerWeightCache() : m_cache(kKept) {}

  /// `arrange()` gives the deviations where they are not there yet.
  template <class Arrange>
  std::shared_ptr<const IntegerWeights> get(const Tensor& codes, const Tensor& zeroPoint,
                                            const Arrange& arrange) const {
    const auto matches = [&](const IntegerWeights& kept) {
      return kept.codes.sharesElementsWith(codes) && kept.zeroPoint.sharesElementsWith(zeroPoint) &&
             kept.codes.shape() == codes.shape();
    };
    if (auto found = m_cache.find(matches)) return found;
    auto made = std::make_shared<IntegerWeights>(IntegerWeights{codes, zeroPoint, arrange()});
    m_cache.insert(made);
    return made;
  }

 private:
  static constexpr std::size_t kKept = 2;
  RecentCache<IntegerWeights> m_cache;
};

}  // namespace quantscope
