#include "bench/bench_sensitivity.h"

#include <chrono>
#include <numeric>
#include <set>

#include "base/memory_budget.h"
#include "base/peak_memory.h"
#include "base/seconds_since.h"
#include "bench/float_pass.h"
#include "calibration/calibrate.h"
#include "jobs/quantize_model.h"

namespace quantscope {

SensitivityBenchmark benchSensitivity(const LoadedModel& model, const Configuration& config,
                                      SampleSet& samples, const SensitivityRequest& request,
                                      JobContext& job) {
  constexpr std::size_t kItemsAtOnce = 64;
  const Engine& engine = *model.engine;
  const Observations observations = calibrate(engine, samples, observationSettings(config, 1), job);
  SensitivityBenchmark result;
  result.floatPassSeconds = floatPassSeconds(engine, samples, job);
  AnalysisMemory memory(job.memoryBudget() == 0 ? defaultMemoryBudget() : job.memoryBudget());
  const auto start = std::chrono::steady_clock::now();
  Sensitivity sensitivity(engine, config, observations, request, samples, {}, memory, job);
  std::vector<std::size_t> items(sensitivity.items().size());
  std::iota(items.begin(), items.end(), std::size_t{0});
  std::set<std::size_t> layers;
  for (const SensitivityItem& item : sensitivity.items()) layers.insert(item.layer);
  for (std::size_t first = 0; first < items.size(); first += kItemsAtOnce) {
    const std::size_t count = std::min(kItemsAtOnce, items.size() - first);
    sensitivity.run(std::span(items).subspan(first, count), "Sensitivity");
  }
  result.seconds = secondsSince(start);
  result.nodes = layers.size();
  result.types = request.types.size();
  result.samples = samples.sampleCount();
  result.plannedPasses = sensitivity.plannedPasses();
  result.peakRssMib = peakRssMib();
  return result;
}

}  // namespace quantscope
