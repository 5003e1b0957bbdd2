#include "bench/flop_count.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/workers.h"
#include "engine/execution.h"
#include "engine/product_count.h"
#include "kernels/speed_limits.h"

namespace quantscope {

std::vector<double> flopsByNode(const Engine& engine, const Feed& feed, const Workers& workers) {
  const Graph& graph = engine.graph();
  const Plan plan = planForAllValues(engine);
  std::vector<double> flops(graph.nodes().size());
  workers.run([&] {
    Execution execution(plan, feed.inputs, nullptr, feed.batch);
    while (!execution.finished()) stepCountingProducts(graph, execution, flops);
  });
  for (double& count : flops) count *= 2;
  return flops;
}

double measurePeakGflopPerSecond(const Workers& workers) {
  constexpr int kMeasurements = 3;
  constexpr std::size_t kRounds = std::size_t{1} << 21;
  const auto threads = static_cast<std::size_t>(workers.threads());
  std::vector<std::size_t> operations(threads);
  double best = 0;
  for (int i = 0; i < kMeasurements; ++i) {
    const auto start = std::chrono::steady_clock::now();
    workers.forEach(
        threads, [&](std::size_t thread) { operations[thread] = multiplyAddInRegisters(kRounds); });
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    const auto all = std::accumulate(operations.begin(), operations.end(), std::size_t{0});
    best = std::max(best, 1e-9 * static_cast<double>(all) / time.count());
  }
  return best;
}

}  // namespace quantscope
