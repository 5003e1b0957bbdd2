#include "bench/bench_repair.h"

#include "base/memory_budget.h"
#include "base/peak_memory.h"
#include "base/seconds_since.h"
#include "bench/float_pass.h"
#include "jobs/run_repair.h"

namespace quantscope {

RepairBenchmark benchRepair(const LoadedModel& model, const Configuration& config,
                            SampleSet& samples, const RepairRequest& request, JobContext& job) {
  RepairBenchmark result;
  result.samples = samples.sampleCount();
  result.floatPassSeconds = floatPassSeconds(*model.engine, samples, job);
  AnalysisMemory memory(job.memoryBudget() == 0 ? defaultMemoryBudget() : job.memoryBudget());
  const auto start = std::chrono::steady_clock::now();
  const RepairResult repaired =
      runRepair(model, config, samples, samples, {}, request, memory, job);
  result.seconds = secondsSince(start);
  result.startDb = worstDecibels(repaired.start.heldOut);
  result.endDb = worstDecibels(repaired.end.heldOut);
  result.steps = repaired.steps;
  result.peakRssMib = peakRssMib();
  return result;
}

}  // namespace quantscope
