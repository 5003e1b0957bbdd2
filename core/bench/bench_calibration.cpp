#include "bench/bench_calibration.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "analysis/analyze.h"
#include "base/memory_budget.h"
#include "base/peak_memory.h"
#include "base/seconds_since.h"
#include "base/workers.h"
#include "bench/float_pass.h"
#include "calibration/calibrate.h"
#include "engine/execution.h"
#include "jobs/quantize_model.h"

namespace quantscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMib = 1024.0 * 1024.0;
constexpr double kOfSamples = 1.2;
constexpr double kAllowanceMib = 64;

// Runs in the steps of a calibration, where every value can be read.
void runOneSamplePerThread(const LoadedModel& model, SampleSet& samples, JobContext& job) {
  const Plan plan = planForAllValues(*model.engine);
  const auto threads = static_cast<std::size_t>(job.workers().threads());
  std::vector<Feed> feeds;
  for (std::size_t i = 0; i < std::min(threads, samples.feedCount()); ++i) {
    feeds.push_back(samples.read(i));
  }
  job.workers().forEach(feeds.size(), [&](std::size_t i) {
    Execution execution(plan, feeds[i].inputs, nullptr, feeds[i].batch);
    while (!execution.finished()) {
      job.throwIfCancelled();
      execution.step();
    }
  });
}

double analysisSeconds(const LoadedModel& model, SampleSet& samples,
                       const ObservationSettings& settings, JobContext& job) {
  const Configuration config;
  AnalysisMemory memory(job.memoryBudget() == 0 ? defaultMemoryBudget() : job.memoryBudget());
  const Clock::time_point start = Clock::now();
  const KeptActivations kept{&memory.activations,
                             valuesToAnalyze(*model.engine, *config.precision)};
  const Observations observations =
      calibrate(*model.engine, samples, settings, job, samples.feedCount(), kept);
  const QuantizedModel quantized = quantizeModel(*model.engine, config, observations, &job);
  analyze(*model.engine, config, quantized, observations, samples, {}, memory, job);
  return secondsSince(start);
}

}  // namespace

CalibrationBenchmark benchCalibration(const LoadedModel& model, SampleSet& samples,
                                      const ObservationSettings& settings, JobContext& job) {
  CalibrationBenchmark result;
  result.threads = job.workers().threads();
  result.samples = samples.sampleCount();
  runOneSamplePerThread(model, samples, job);
  result.samplePerThreadRssMib = peakRssMib();
  const Clock::time_point start = Clock::now();
  const Observations observations = calibrate(*model.engine, samples, settings, job);
  result.seconds = secondsSince(start);
  result.peakRssMib = peakRssMib();
  result.observationsMib = static_cast<double>(observations.bytes()) / kMib;
  result.limitMib =
      kOfSamples * result.samplePerThreadRssMib + result.observationsMib + kAllowanceMib;
  result.floatPassSeconds = floatPassSeconds(*model.engine, samples, job);
  result.analysisSeconds = analysisSeconds(model, samples, settings, job);
  return result;
}

}  // namespace quantscope
