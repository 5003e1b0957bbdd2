#include "bench/bench_gradients.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "analysis/errors/computable_outputs.h"
#include "analysis/sensitivity/rank_correlation.h"
#include "analysis/sensitivity/sensitivity_estimate.h"
#include "base/error.h"
#include "base/median.h"
#include "base/memory_budget.h"
#include "base/peak_memory.h"
#include "base/seconds_since.h"
#include "base/workers.h"
#include "bench/float_pass.h"
#include "calibration/calibrate.h"
#include "engine/gradients/reverse_pass.h"
#include "engine/gradients/summing_listener.h"
#include "jobs/quantize_model.h"

namespace quantscope {
namespace {

using GradientClock = std::chrono::steady_clock;

// Ones at the output, and the time from there on.
class WeightCotangents final : public SummingListener {
 public:
  WeightCotangents(ValueId output, CotangentSums& sums) : SummingListener(sums), m_output(output) {}

  std::vector<std::vector<Tensor>> begin(const Values& values) override {
    const Tensor y = toFloat32(values.find(m_output).tensor);
    Tensor ones(ElementType::Float32, y.shape());
    std::ranges::fill(ones.mutableValues<float>(), 1.0F);
    start = GradientClock::now();
    return {{ones}};
  }

  GradientClock::time_point start;

 private:
  ValueId m_output;
};

// Constants of real numbers that a node reads which reads something computed, too.
std::vector<ReverseSource> weightsOf(const Engine& engine) {
  const Graph& graph = engine.graph();
  std::vector<ReverseSource> weights;
  for (std::size_t i = 0; i < graph.values().size(); ++i) {
    const Tensor* constant = graph.constant(ValueId(i));
    if (constant == nullptr || !isFloat(constant->type()) || constant->elementCount() < 2) continue;
    const bool read = std::ranges::any_of(graph.values()[i].consumers, [&](NodeId node) {
      return graph[node].block == Graph::mainBlock() && !graph[node].outputs.empty() &&
             engine.constant(graph[node].outputs[0]) == nullptr;
    });
    if (read) weights.push_back({ValueId(i), {}});
  }
  return weights;
}

struct BackwardTimes {
  double together = 0;
  double backward = 0;
};

// The samples are dealt out to a sum for each thread.
BackwardTimes runBackward(const ReversePass& pass, ValueId output,
                          std::span<const ReverseSource> weights, std::span<const Feed> feeds,
                          JobContext& job) {
  std::vector<ValueId> sources;
  for (const ReverseSource& weight : weights) sources.push_back(weight.value);
  const std::size_t lanes = std::min<std::size_t>(job.workers().threads(), feeds.size());
  std::vector<CotangentSums> sums(lanes, zeroSums(sources));
  std::vector<double> seconds(lanes);
  const GradientClock::time_point start = GradientClock::now();
  job.workers().forEach(lanes, [&](std::size_t lane) {
    for (std::size_t i = lane; i < feeds.size(); i += lanes) {
      WeightCotangents listener(output, sums[lane]);
      pass.run(feeds[i].inputs, listener, job.memoryBudget(), job);
      seconds[lane] += secondsSince(listener.start);
    }
  });
  const GradientClock::time_point adding = GradientClock::now();
  totalsOf(sums, job.workers());
  return {.together = secondsSince(start),
          .backward = std::ranges::max(seconds) + secondsSince(adding)};
}

void timeBackward(const Engine& engine, SampleSource& samples, JobContext& job,
                  GradientBenchmark& result) {
  constexpr std::size_t kBackwardRounds = 3;
  const ValueId output = firstRealOutput(engine.graph());
  if (!output.valid()) {
    throw Error(ErrorCode::InvalidParameters,
                "the network has no output of real numbers, so no gradient");
  }
  const std::vector<ReverseSource> weights = weightsOf(engine);
  const ReversePass pass(engine, {output}, weights);
  std::vector<Feed> feeds;
  for (std::size_t i = 0; i < samples.feedCount(); ++i) feeds.push_back(samples.read(i));
  result.weights = static_cast<std::size_t>(std::ranges::count_if(
      weights, [&](const ReverseSource& each) { return pass.whyNot(each.value).empty(); }));
  std::vector<double> together;
  std::vector<double> backward;
  for (std::size_t round = 0; round < kBackwardRounds; ++round) {
    const BackwardTimes times = runBackward(pass, output, weights, feeds, job);
    together.push_back(times.together);
    backward.push_back(times.backward);
  }
  result.forwardBackwardSeconds = median(together);
  result.backwardSeconds = median(backward);
}

void compareWithMeasured(const Engine& engine, const Configuration& config, SampleSet& samples,
                         const SensitivityRequest& request,
                         const GradientEstimateSettings& settings, JobContext& job,
                         GradientBenchmark& result) {
  const Observations observations = calibrate(engine, samples, observationSettings(config, 1), job);
  AnalysisMemory memory(job.memoryBudget() == 0 ? defaultMemoryBudget() : job.memoryBudget());
  Sensitivity sensitivity(engine, config, observations, request, samples, {}, memory, job);
  std::vector<std::size_t> items(sensitivity.items().size());
  std::iota(items.begin(), items.end(), std::size_t{0});
  const GradientClock::time_point estimating = GradientClock::now();
  const std::vector<SensitivityRow> estimates = sensitivity.estimate(samples, items, settings);
  result.estimateSeconds = secondsSince(estimating);
  const GradientClock::time_point measuring = GradientClock::now();
  const std::vector<SensitivityRow> measured = sensitivity.run(items, "Sensitivity");
  result.measureSeconds = secondsSince(measuring);
  const EstimateQuality quality = compareEstimates(estimates, measured);
  result.rows = items.size();
  result.estimated = quality.rows;
  result.probes = probesBehind(estimates, settings, samples.sampleCount());
  result.spearman = quality.spearman;
  result.medianErrorDb = quality.medianErrorDb;
}

}  // namespace

GradientBenchmark benchGradients(const LoadedModel& model, const Configuration& config,
                                 SampleSet& samples, const SensitivityRequest& request,
                                 const GradientEstimateSettings& settings, JobContext& job) {
  const Engine& engine = *model.engine;
  GradientBenchmark result;
  result.threads = job.workers().threads();
  result.samples = samples.sampleCount();
  result.floatPassSeconds = floatPassSeconds(engine, samples, job);
  timeBackward(engine, samples, job, result);
  if (!request.types.empty()) {
    compareWithMeasured(engine, config, samples, request, settings, job, result);
  }
  result.peakRssMib = peakRssMib();
  return result;
}

}  // namespace quantscope
