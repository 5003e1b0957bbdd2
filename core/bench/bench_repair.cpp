#include "bench/bench_repair.h"

#include <algorithm>

#include "base/memory_budget.h"
#include "base/peak_memory.h"
#include "base/seconds_since.h"
#include "bench/float_pass.h"
#include "jobs/repair/run_repair.h"

namespace quantscope {
namespace {

bool roundsCoarsely(const QuantizedModel& model) {
  return std::ranges::any_of(model.layers, [](const LayerQuantization& layer) {
    return layer.weight && isInteger(layer.weight->type) && bitWidth(layer.weight->type) <= 4;
  });
}

}  // namespace

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
  const auto endWith = [&](const char* step) {
    RepairRequest alone = request;
    alone.steps = {*findRepairStep(step)};
    return worstDecibels(
        runRepair(model, config, samples, samples, {}, alone, memory, job).end.heldOut);
  };
  if (roundsCoarsely(*repaired.state.model)) {
    result.gramRoundingDb = endWith("round");
    result.adaRoundDb = endWith("adaround");
  }
  result.peakRssMib = peakRssMib();
  return result;
}

}  // namespace quantscope
