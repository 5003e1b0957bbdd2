#include "bench/float_pass.h"

#include <chrono>
#include <vector>

#include "base/median.h"
#include "base/seconds_since.h"
#include "calibration/feed_loop.h"
#include "engine/execution.h"

namespace quantscope {

double floatPassSeconds(const Engine& engine, SampleSource& samples, JobContext& job) {
  constexpr std::size_t kRounds = 5;
  const Plan plan = planForOutputs(engine);
  std::vector<double> seconds;
  for (std::size_t round = 0; round < kRounds; ++round) {
    const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    const auto run = [&](const Feed& feed) {
      Execution(plan, feed.inputs).run();
      return 0;
    };
    forEachFeed(samples, job, run, [](const Feed&, int) {});
    seconds.push_back(secondsSince(start));
  }
  return median(seconds);
}

void addNodeSeconds(const Plan& plan, const Feed& feed, std::span<double> seconds) {
  Execution execution(plan, feed.inputs);
  while (!execution.finished()) {
    const NodeId node = execution.next();
    const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    execution.step();
    seconds[node.at()] += secondsSince(start);
  }
}

std::vector<double> floatNodeSeconds(const Engine& engine, SampleSource& samples, JobContext& job) {
  const Plan plan = planForOutputs(engine);
  std::vector<double> all(engine.graph().nodes().size());
  const auto run = [&](const Feed& feed) {
    std::vector<double> seconds(all.size());
    addNodeSeconds(plan, feed, seconds);
    return seconds;
  };
  forEachFeed(samples, job, run, [&](const Feed& /*feed*/, const std::vector<double>& seconds) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += seconds[i];
  });
  return all;
}

}  // namespace quantscope
