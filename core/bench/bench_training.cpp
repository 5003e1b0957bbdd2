#include "bench/bench_training.h"

#include "base/memory_budget.h"
#include "base/peak_memory.h"
#include "base/seconds_since.h"
#include "jobs/repair/run_repair.h"

namespace quantscope {

TrainingBenchmark benchTraining(const LoadedModel& model, const Configuration& config,
                                SampleSet& samples, const TrainingSettings& settings,
                                JobContext& job) {
  const auto run = std::make_shared<TrainingRun>();
  run->settings = settings;
  RepairRequest request;
  request.steps = recipeSteps();
  request.steps.push_back(trainingStep(run, 2));
  AnalysisMemory memory(job.memoryBudget() == 0 ? defaultMemoryBudget() : job.memoryBudget());
  const auto start = std::chrono::steady_clock::now();
  const RepairResult repaired =
      runRepair(model, config, samples, samples, {}, request, memory, job);
  const double altogether = secondsSince(start);
  if (run->error) std::rethrow_exception(run->error);
  const StepReport& step = repaired.steps.back();
  TrainingBenchmark result;
  result.samples = samples.sampleCount();
  result.startDb = worstDecibels(repaired.start.heldOut);
  result.endDb = worstDecibels(repaired.end.heldOut);
  result.gainDb = step.gainHeldOutDb;
  result.kept = step.kept;
  result.reason = step.reason;
  result.recipeDb = result.endDb - (step.kept ? step.gainHeldOutDb.value_or(0) : 0);
  result.seconds = step.seconds;
  result.recipeSeconds = altogether - step.seconds;
  if (run->report) result.training = *run->report;
  result.peakRssMib = peakRssMib();
  return result;
}

}  // namespace quantscope
