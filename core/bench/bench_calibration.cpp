#include "bench/bench_calibration.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/peak_memory.h"
#include "base/workers.h"
#include "bench/seconds_since.h"
#include "calibration/calibrate.h"
#include "engine/execution.h"

namespace quantscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMib = 1024.0 * 1024.0;
constexpr double kOfSamples = 1.2;
constexpr double kAllowanceMib = 64;

// In the steps of a calibration, where every value can be seen.
void runOneSamplePerThread(const LoadedModel& model, SampleSource& source, JobContext& job) {
  const Plan plan = planForAllValues(*model.engine);
  const auto threads = static_cast<std::size_t>(job.workers().threads());
  std::vector<Feed> feeds;
  for (std::size_t i = 0; i < std::min(threads, source.feedCount()); ++i) {
    feeds.push_back(source.read(i));
  }
  job.workers().forEach(feeds.size(), [&](std::size_t i) {
    Execution execution(plan, feeds[i].inputs, nullptr, feeds[i].batch);
    while (!execution.finished()) {
      job.throwIfCancelled();
      execution.step();
    }
  });
}

}  // namespace

CalibrationBenchmark benchCalibration(const LoadedModel& model, SampleSource& source,
                                      const ObservationSettings& settings, JobContext& job) {
  CalibrationBenchmark result;
  result.threads = job.workers().threads();
  result.samples = source.sampleCount();
  runOneSamplePerThread(model, source, job);
  result.samplePerThreadRssMib = peakRssMib();
  const Clock::time_point start = Clock::now();
  const Observations observations = calibrate(*model.engine, source, settings, job);
  result.seconds = secondsSince(start);
  result.peakRssMib = peakRssMib();
  result.observationsMib = static_cast<double>(observations.bytes()) / kMib;
  result.limitMib =
      kOfSamples * result.samplePerThreadRssMib + result.observationsMib + kAllowanceMib;
  return result;
}

}  // namespace quantscope
