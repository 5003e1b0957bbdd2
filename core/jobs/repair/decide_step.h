#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/repair/run_repair.h"

namespace quantscope {

/// A decision about one step of a repair.
struct StepDecision {
  enum class What : std::uint8_t {
    Try,   ///< it stays where held-out samples confirm it
    Keep,  ///< it stays, whatever they say
    Drop,
  };

  std::string step;
  What what = What::Try;
  std::vector<std::string> only = {};  ///< the layers that it may change; see RepairRequest
};

/// A repair of which one step is decided anew. The others that stay in `before` stay; those that
/// come after it in the order of `all` run again on top of it. `before` may be null: nothing was
/// tried yet. Steps of `before` that were left out keep their reports.
///
/// Of `limits` the time, the batch and what is known count; the time is for the step that is tried.
/// Throws what repairModel() throws.
RepairResult decideStep(const AnalysisSnapshot& shown, const RepairResult* before,
                        const StepDecision& decision, const std::vector<RepairStep>& all,
                        const RepairRequest& limits, const Labels& labels, AnalysisMemory& memory,
                        JobContext& job);

}  // namespace quantscope
