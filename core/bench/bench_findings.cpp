#include "bench/bench_findings.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "analysis/analyze.h"
#include "base/median.h"
#include "base/memory_budget.h"
#include "base/seconds_since.h"
#include "bench/float_pass.h"
#include "jobs/analysis/find_faults.h"
#include "jobs/analysis/simulate_gains.h"
#include "jobs/quantize_model.h"

namespace quantscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRuns = 5;

std::size_t simulatedOf(const std::vector<Finding>& findings) {
  return static_cast<std::size_t>(std::ranges::count_if(findings, [](const Finding& finding) {
    return finding.suggestion && finding.suggestion->gainDb;
  }));
}

std::size_t estimatedOf(const std::vector<Finding>& findings) {
  return static_cast<std::size_t>(std::ranges::count_if(findings, [](const Finding& finding) {
    return finding.suggestion && finding.suggestion->gainEstimated;
  }));
}

}  // namespace

FindingsBenchmark benchFindings(const LoadedModel& model, const Configuration& config,
                                SampleSet& samples, JobContext& job) {
  const CalibratedModel calibrated = calibrateAndQuantize(model, config, samples, 1, job);
  AnalysisMemory memory(defaultMemoryBudget());
  const AnalysisResult analysis = analyze(*model.engine, config, calibrated.model,
                                          calibrated.observations, samples, {}, memory, job);
  FindingsBenchmark result;
  result.nodes = model.graph->nodes().size();
  result.samples = samples.sampleCount();
  DetectorReport report;
  std::vector<double> seconds;
  for (int run = 0; run < kRuns; ++run) {
    job.throwIfCancelled();
    const Clock::time_point start = Clock::now();
    report = findFaults(model, config, calibrated.model, calibrated.observations, analysis,
                        DetectorMode::Quantscope);
    seconds.push_back(secondsSince(start));
  }
  result.detectSeconds = median(seconds);
  const Clock::time_point start = Clock::now();
  simulateGains(model, config, calibrated.model, calibrated.observations, analysis, samples, memory,
                job, report);
  result.simulateSeconds = secondsSince(start);
  result.findings = report.findings.size();
  result.simulated = simulatedOf(report.findings) + simulatedOf(report.unproven);
  result.estimated = estimatedOf(report.findings) + estimatedOf(report.unproven);
  result.floatPassSeconds = floatPassSeconds(*model.engine, samples, job);
  return result;
}

}  // namespace quantscope
