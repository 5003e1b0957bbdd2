#pragma once

#include <cstdint>
#include <span>

#include "base/ids.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The terms of a training loss at one value of the network.
struct LossTerms {
  ValueId value;
  double squares = 0;      ///< weight of ‖ŷ − y‖²/power
  double power = 1;        ///< the mean of ‖y‖² over training samples
  double divergence = 0;   ///< weight of τ²·KL(softmax(y/τ) ‖ softmax(ŷ/τ))
  double temperature = 1;  ///< τ
  double labels = 0;       ///< weight of −ln softmax(ŷ)[label]
};

/// The part of a feed's values that counts: `samples` of `batch` along axis 0.
struct FeedExtent {
  std::size_t batch = 1;
  std::size_t samples = 1;
};

/// The loss of a feed, summed over its samples, at one value; adds weight·∂loss/∂ŷ to `cotangent`
/// (Plain, zeros to begin with) unless that is null. `labels`: by sample; negative = none.
double distillationLoss(const LossTerms& terms, const Tensor& actual, const Tensor& expected,
                        const FeedExtent& extent, std::span<const std::int64_t> labels,
                        Tensor* cotangent);

}  // namespace quantscope
