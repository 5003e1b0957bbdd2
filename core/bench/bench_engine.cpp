#include "bench/bench_engine.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "base/median.h"
#include "base/peak_memory.h"
#include "base/seconds_since.h"
#include "base/workers.h"
#include "bench/float_pass.h"
#include "bench/flop_count.h"
#include "engine/execution.h"

namespace quantscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxFeeds = 64;
constexpr std::size_t kRounds = 5;

void runOnce(const Plan& plan, const Feed& feed) {
  Execution(plan, feed.inputs).run();
}

double medianLatency(const Plan& plan, const std::vector<Feed>& feeds, double seconds,
                     const Workers& workers, const JobContext& job) {
  std::vector<double> times;
  const Clock::time_point start = Clock::now();
  workers.run([&] {
    for (std::size_t i = 0; times.size() < kRounds || secondsSince(start) < seconds; ++i) {
      job.throwIfCancelled();
      const Feed& feed = feeds[i % feeds.size()];
      const Clock::time_point before = Clock::now();
      runOnce(plan, feed);
      times.push_back(secondsSince(before) / static_cast<double>(feed.batch));
    }
  });
  return median(times);
}

double medianThroughput(const Plan& plan, const std::vector<Feed>& feeds, double latency,
                        double seconds, JobContext& job) {
  const auto threads = static_cast<std::size_t>(job.workers().threads());
  const double perRound = seconds / kRounds / (latency * static_cast<double>(feeds[0].batch));
  const std::size_t count = std::max<std::size_t>(1, static_cast<std::size_t>(perRound)) * threads;
  std::vector<double> rates;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const Clock::time_point start = Clock::now();
    job.workers().forEach(count, [&](std::size_t i) {
      job.throwIfCancelled();
      runOnce(plan, feeds[i % feeds.size()]);
    });
    rates.push_back(static_cast<double>(count * feeds[0].batch) / secondsSince(start));
  }
  return median(rates);
}

// `flops`: by node, of one sample.
std::vector<NodeSpeed> slowestNodes(const Plan& plan, const std::vector<Feed>& feeds,
                                    double seconds, std::size_t most,
                                    const std::vector<double>& flops, const JobContext& job) {
  std::vector<double> spent(flops.size());
  double samples = 0;
  Workers(1).run([&] {
    const Clock::time_point start = Clock::now();
    for (std::size_t i = 0; i < kRounds || secondsSince(start) < seconds; ++i) {
      job.throwIfCancelled();
      const Feed& feed = feeds[i % feeds.size()];
      addNodeSeconds(plan, feed, spent);
      samples += static_cast<double>(feed.batch);
    }
  });
  const double all = std::accumulate(spent.begin(), spent.end(), 0.0);
  std::vector<NodeSpeed> speeds;
  for (std::size_t i = 0; i < spent.size(); ++i) {
    if (spent[i] == 0) continue;
    const double each = spent[i] / samples;
    NodeSpeed speed{NodeId(i), each * 1000, spent[i] / all, {}};
    if (flops[i] > 0) speed.gflopPerSecond = flops[i] / each * 1e-9;
    speeds.push_back(speed);
  }
  std::ranges::stable_sort(speeds, std::greater(), &NodeSpeed::millisecondsPerSample);
  if (speeds.size() > most) speeds.resize(most);
  return speeds;
}

}  // namespace

EngineBenchmark benchEngine(const LoadedModel& model, SampleSource& source, double seconds,
                            std::size_t slowest, JobContext& job) {
  std::vector<Feed> feeds;
  for (std::size_t i = 0; i < std::min(source.feedCount(), kMaxFeeds); ++i) {
    feeds.push_back(source.read(i));
  }
  if (feeds.empty()) {
    throw Error(ErrorCode::InsufficientData, "there are no samples to run",
                {.file = source.description(), .node = {}, .value = {}}, "give at least one");
  }
  const Plan plan = planForOutputs(*model.engine);
  job.beginStage("Measuring", 0);
  // The first run of each worker creates primitives and reorders weights.
  job.workers().forEach(2 * static_cast<std::size_t>(job.workers().threads()),
                        [&](std::size_t i) { runOnce(plan, feeds[i % feeds.size()]); });

  EngineBenchmark result;
  result.threads = job.workers().threads();
  const double latency = medianLatency(plan, feeds, seconds, Workers(1), job);
  result.millisecondsPerSample = latency * 1000;
  result.latencyMilliseconds = medianLatency(plan, feeds, seconds, job.workers(), job) * 1000;
  result.samplesPerSecond = medianThroughput(plan, feeds, latency, seconds, job);
  std::vector<double> flops = flopsByNode(*model.engine, feeds[0], job.workers());
  for (double& count : flops) count /= static_cast<double>(feeds[0].batch);
  result.gflopPerSecond =
      std::accumulate(flops.begin(), flops.end(), 0.0) * result.samplesPerSecond * 1e-9;
  result.peakGflopPerSecond = measurePeakGflopPerSecond(job.workers());
  result.peakRssMib = peakRssMib();
  if (slowest > 0) {
    result.slowest = slowestNodes(plan, feeds, seconds, slowest, flops, job);
    result.onePeakGflopPerSecond = measurePeakGflopPerSecond(Workers(1));
  }
  return result;
}

}  // namespace quantscope
