#pragma once

#include "jobs/repair/run_repair.h"
#include "project/decided_repairs.h"
#include "training/training_steps.h"

namespace quantscope {

/// What a project keeps of a repair of `shown`; see repeatRepairs(). `before`: of the decisions
/// that it went on from; what they had learned is not learned again, and so not in `training`.
DecidedRepairs decidedRepairs(const AnalysisSnapshot& shown, const RepairResult& result,
                              const TrainingRun& training, const DecidedRepairs& before = {});

/// What was learned, for TrainingSettings::known: the newest last. Throws InvalidData where it is
/// damaged.
std::vector<std::shared_ptr<const TrainedState>> learnedStates(const DecidedRepairs& decided);

/// True if they were decided on this configuration, whatever limits its detectors have.
bool areOf(const DecidedRepairs& decided, const Configuration& config);

/// Carries the steps that were kept out again, in their order and without judging them: the same
/// model, bit for bit, as long as the files are the same. Nothing is trained, since that takes
/// minutes: what was learned is taken as it is, and where it is not of the same samples its step is
/// left out and says so. `training` gets what was learned; of `limits` the batch and what is known
/// count. Throws what repairModel() throws.
RepairResult repeatRepairs(const AnalysisSnapshot& shown, const DecidedRepairs& decided,
                           const std::shared_ptr<TrainingRun>& training,
                           const RepairRequest& limits, const Labels& labels,
                           AnalysisMemory& memory, JobContext& job);

}  // namespace quantscope
