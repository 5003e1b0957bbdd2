#pragma once

#include <span>
#include <utility>
#include <vector>

#include "base/workers.h"
#include "engine/gradients/cotangent_sum.h"
#include "engine/gradients/reverse_pass.h"

namespace quantscope {

/// By source, in an order of its own.
using CotangentSums = std::vector<std::pair<ValueId, CotangentSum>>;

/// Zero for each source. None of them may be made by a node.
CotangentSums zeroSums(std::span<const ValueId> sources);

/// Several sums of the same sources added up, in their order, into the first one; undefined = zero.
std::vector<std::pair<ValueId, Tensor>> totalsOf(std::span<CotangentSums> sums,
                                                 const Workers& workers);

/// A pass of one probe that adds the cotangents of its sources to sums.
class SummingListener : public ReverseListener {
 public:
  /// One for each source of the pass; they must outlive it.
  explicit SummingListener(CotangentSums& sums) : m_sums(sums) {}

  CotangentSum* sumOf(ValueId source) final;
  void take(ValueId /*source*/, std::span<const Tensor> /*cotangents*/,
            const Values& /*values*/) final {}

 private:
  CotangentSums& m_sums;
};

}  // namespace quantscope
