#include "bench/bench_sensitivity.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <set>

#include "analysis/sensitivity/cone_share.h"
#include "analysis/sensitivity/early_ranking.h"
#include "analysis/sensitivity/sensitivity_sweep.h"
#include "base/memory_budget.h"
#include "base/peak_memory.h"
#include "base/seconds_since.h"
#include "bench/float_pass.h"
#include "calibration/calibrate.h"
#include "jobs/quantize_model.h"

namespace quantscope {
namespace {

double firstOutput(const SensitivityRow& row) {
  const auto first = std::ranges::find_if(
      row.outputs, [](const OutputResult& output) { return output.error.count > 0; });
  const bool known = first != row.outputs.end() && first->error.sqnrDb;
  return known ? *first->error.sqnrDb : std::numeric_limits<double>::infinity();
}

}  // namespace

SensitivityBenchmark benchSensitivity(const LoadedModel& model, const Configuration& config,
                                      SampleSet& samples, const SensitivityRequest& request,
                                      JobContext& job) {
  constexpr std::size_t kTop = 10;
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
  const EarlyRanking early = rankEarly(sensitivity, samples, items, kTop);
  result.firstRankingSeconds = secondsSince(start);
  result.firstRankingSamples = early.samples;
  std::vector<double> sqnrDb;  // in the order of early.places
  sweepSensitivity(sensitivity, early.places, {}, [&](const std::vector<SensitivityRow>& rows) {
    for (const SensitivityRow& row : rows) sqnrDb.push_back(firstOutput(row));
  });
  result.seconds = secondsSince(start);
  std::vector<double> byItem(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) byItem[early.places[i]] = sqnrDb[i];
  std::ranges::stable_sort(items, {}, [&](std::size_t place) { return byItem[place]; });
  result.top = std::min(kTop, items.size());
  for (std::size_t i = 0; i < result.top; ++i) {
    const auto end = early.places.begin() + static_cast<std::ptrdiff_t>(result.top);
    result.topFound += std::find(early.places.begin(), end, items[i]) != end;
  }
  result.nodes = layers.size();
  result.types = request.types.size();
  result.samples = samples.sampleCount();
  const std::vector<double> nodeSeconds = floatNodeSeconds(engine, samples, job);
  for (const SensitivityItem& item : sensitivity.items()) {
    result.conePasses += shareBehind(engine.graph(), sensitivity.leadOf(item), nodeSeconds);
  }
  result.peakRssMib = peakRssMib();
  return result;
}

}  // namespace quantscope
