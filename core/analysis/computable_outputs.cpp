#include "analysis/computable_outputs.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/error.h"
#include "engine/plan.h"

namespace quantscope {

void requireRealOutput(const Graph& graph) {
  const std::span<const ValueId> outputs(graph.outputs());
  const auto mayBeReal = [&](ValueId output) {
    const auto& element = graph[output].type.element;
    return !element || isFloat(*element);
  };
  if (!outputs.empty() && std::ranges::none_of(outputs, mayBeReal)) {
    throw Error(ErrorCode::UnsupportedOperation,
                "no output of the model has real numbers, which alone are compared", {},
                "end the model before the operator that makes integers, such as ArgMax");
  }
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
