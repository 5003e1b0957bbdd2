#include "engine/product_count.h"

#include <optional>

#include "graph/operator_traits.h"

namespace quantscope {

NodeId stepCountingProducts(const Graph& graph, Execution& execution, std::span<double> products) {
  const NodeId next = execution.next();
  const Node& node = graph[next];
  const auto count = operatorTraits(node).multiplyAccumulates;
  if (count == nullptr || node.inputs.size() < 2) return execution.step();
  // The step frees inputs that are not read afterwards.
  const std::optional<Shape> data = execution.shapeOf(node.inputs[0]);
  const std::optional<Shape> weight = execution.shapeOf(node.inputs[1]);
  const NodeId done = execution.step();
  if (!data || !weight) return done;
  // A recurrence may omit its first output, of which nothing depends then.
  const Shape result = execution.shapeOf(node.outputs.at(0)).value_or(Shape());
  products[next.at()] += count(node, *data, *weight, result);
  return done;
}

}  // namespace quantscope
