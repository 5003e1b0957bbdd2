#pragma once

#include <map>
#include <vector>

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "engine/applied_quantization.h"
#include "engine/engine.h"
#include "engine/plan.h"

namespace quantscope {

/// Values of one feed.
using Tensors = std::map<ValueId, Tensor>;

/// What computes some values of the main graph and keeps them.
class WantedRun {
 public:
  /// `wanted` in any order, values may stand twice. The engine must outlive it.
  WantedRun(const Engine& engine, std::vector<ValueId> wanted);

  /// The wanted values of a feed, as far as they are computed, and its inputs; under `applied`
  /// where that is not null. From any thread. Throws Cancelled between two nodes.
  Tensors run(const Feed& feed, const AppliedQuantization* applied, const JobContext& job) const;

 private:
  std::vector<ValueId> m_wanted;
  Plan m_plan;
};

}  // namespace quantscope
