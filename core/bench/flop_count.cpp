#include "bench/flop_count.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/workers.h"
#include "engine/execution.h"
#include "engine/operator_registry.h"
#include "engine/product_count.h"

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
  constexpr std::int64_t kSize = 768;
  constexpr int kRounds = 5;
  constexpr std::size_t kProducts = 4;
  Node node;
  node.op = "MatMul";
  node.version = 13;
  const Graph graph;
  const std::unique_ptr<Kernel> kernel = operatorRegistry().find(node)(node, graph);
  Tensor matrix(ElementType::Float32, Shape{kSize, kSize});
  std::ranges::fill(matrix.mutableValues<float>(), 0.5F);

  double best = 0;
  const std::size_t count = kProducts * static_cast<std::size_t>(workers.threads());
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    workers.forEach(count, [&](std::size_t) {
      std::vector<Tensor> inputs{matrix, matrix};
      std::vector<Tensor> outputs(1);
      kernel->run(inputs, outputs);
    });
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2e-9 * kSize * kSize * kSize * static_cast<double>(count) / time.count());
  }
  return best;
}

}  // namespace quantscope
