#pragma once

#include "jobs/run_repair.h"
#include "project/decided_repairs.h"

namespace quantscope {

/// What a project keeps of a repair of `shown`; see repeatRepairs().
DecidedRepairs decidedRepairs(const AnalysisSnapshot& shown, const RepairResult& result);

/// True if they were decided on this configuration, whatever limits its detectors have.
bool areOf(const DecidedRepairs& decided, const Configuration& config);

/// Carries the steps that were kept out again, in their order and without judging them: the same
/// model, bit for bit, as long as the files are the same. Steps that train are left out, since they
/// take minutes; their reports say so. `all`: the steps that there are, in the order in which they
/// run; of `limits` the batch and what is known count. Throws what repairModel() throws.
RepairResult repeatRepairs(const AnalysisSnapshot& shown, const DecidedRepairs& decided,
                           const std::vector<RepairStep>& all, const RepairRequest& limits,
                           const Labels& labels, AnalysisMemory& memory, JobContext& job);

}  // namespace quantscope
