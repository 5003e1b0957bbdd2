#include "analysis/errors/computable_outputs.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "engine/plan.h"

namespace quantscope {

std::vector<ValueId> realOutputs(const Graph& graph) {
  std::vector<ValueId> outputs;
  for (const ValueId output : graph.outputs()) {
    const std::optional<ElementType>& type = graph[output].type.element;
    const bool isNew = std::ranges::find(outputs, output) == outputs.end();
    if (isNew && (!type || isFloat(*type))) outputs.push_back(output);
  }
  return outputs;
}

ValueId firstRealOutput(const Graph& graph) {
  const std::vector<ValueId> outputs = realOutputs(graph);
  return outputs.empty() ? ValueId() : outputs.front();
}

void requireRealOutput(const Graph& graph) {
  if (graph.outputs().empty() || firstRealOutput(graph).valid()) return;
  throw Error(ErrorCode::UnsupportedOperation,
              "no output of the model has real numbers, which alone are compared", {},
              "end the model before the operator that makes integers, such as ArgMax");
}

void requireComputableOutput(const Engine& engine) {
  const Graph& graph = engine.graph();
  const std::vector<ValueId> outputs(graph.outputs().begin(), graph.outputs().end());
  if (engine.notExecutable().empty() || outputs.empty()) return;
  const Plan plan(engine, {.given = {}, .wanted = outputs, .kept = {}});
  if (plan.notComputed().size() < outputs.size()) return;
  const NotExecutable& first = engine.notExecutable().front();
  const Node& node = graph[first.node];
  throw Error(ErrorCode::UnsupportedOperation,
              "no output of the model can be computed, because of " + node.op + ": " + first.reason,
              {.file = {}, .node = node.name, .value = {}},
              "export the model with standard ONNX operators");
}

}  // namespace quantscope
