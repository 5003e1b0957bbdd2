#include "bench/flop_count.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>

#include "base/workers.h"
#include "engine/execution.h"
#include "engine/operator_registry.h"

namespace quantscope {
namespace {

double elements(const Shape& shape, std::size_t first) {
  return static_cast<double>(shape.elementCount(std::min(first, shape.rank()), shape.rank()));
}

// Two operations per weight that takes part in one output element.
double flopsOf(const Node& node, const Tensor& input, const Tensor& weight, const Tensor& output) {
  if (!input.defined() || !weight.defined() || !output.defined()) return 0;
  const auto outputs = static_cast<double>(output.elementCount());
  if (node.op == "Conv") return 2 * outputs * elements(weight.shape(), 1);
  if (node.op == "ConvTranspose") {
    return 2 * static_cast<double>(input.elementCount()) * elements(weight.shape(), 1);
  }
  if (input.shape().empty()) return 0;
  if (node.op == "MatMul") return 2 * outputs * static_cast<double>(input.shape().back());
  if (node.op == "Gemm") {
    const std::size_t inner = node.integer("transA", 0) != 0 ? 0 : input.shape().rank() - 1;
    return 2 * outputs * static_cast<double>(input.shape()[inner]);
  }
  return 0;
}

}  // namespace

std::vector<double> flopsByNode(const Engine& engine, const Feed& feed, const Workers& workers) {
  const Graph& graph = engine.graph();
  const Plan plan = planForAllValues(engine);
  std::vector<double> flops(graph.nodes().size());
  workers.run([&] {
    Execution execution(plan, feed.inputs, nullptr, feed.batch);
    while (!execution.finished()) {
      const NodeId id = execution.next();
      const Node& node = graph[id];
      const bool counts = node.op == "Conv" || node.op == "ConvTranspose" || node.op == "MatMul" ||
                          node.op == "Gemm";
      if (!counts || node.inputs.size() < 2) {
        execution.step();
        continue;
      }
      const Tensor input = execution.value(node.inputs[0]);
      const Tensor weight = execution.value(node.inputs[1]);
      execution.step();
      flops[id.at()] += flopsOf(node, input, weight, execution.value(node.outputs[0]));
    }
  });
  return flops;
}

double countFlops(const Engine& engine, const Feed& feed, const Workers& workers) {
  const std::vector<double> flops = flopsByNode(engine, feed, workers);
  return std::accumulate(flops.begin(), flops.end(), 0.0);
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
