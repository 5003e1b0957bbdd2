#include "engine/product_count.h"

#include "graph/operator_traits.h"

namespace quantscope {

NodeId stepCountingProducts(const Graph& graph, Execution& execution, std::span<double> products) {
  const NodeId next = execution.next();
  const Node& node = graph[next];
  const auto count = operatorTraits(node).multiplyAccumulates;
  if (count == nullptr || node.inputs.size() < 2) return execution.step();
  // The step frees inputs that are not read afterwards.
  const Tensor data = execution.value(node.inputs[0]);
  const Tensor weight = execution.value(node.inputs[1]);
  const NodeId done = execution.step();
  if (!data.defined() || !weight.defined()) return done;
  // A recurrence may omit its first output, of which nothing depends then.
  const Tensor output = execution.value(node.outputs.at(0));
  const Shape result = output.defined() ? output.shape() : Shape();
  products[next.at()] += count(node, data.shape(), weight.shape(), result);
  return done;
}

}  // namespace quantscope
