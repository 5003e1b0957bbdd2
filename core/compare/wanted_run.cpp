#include "compare/wanted_run.h"

#include <algorithm>

#include "engine/execution.h"

namespace quantscope {
namespace {

std::vector<ValueId> uniqueValues(std::vector<ValueId> values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

PlanRequest requestFor(const Graph& graph, const std::vector<ValueId>& wanted) {
  const std::span<const ValueId> inputs = graph.inputs();
  return {{inputs.begin(), inputs.end()}, wanted, wanted};
}

}  // namespace

WantedRun::WantedRun(const Engine& engine, std::vector<ValueId> wanted)
    : m_wanted(uniqueValues(std::move(wanted))),
      m_plan(engine, requestFor(engine.graph(), m_wanted)) {}

Tensors WantedRun::run(const Feed& feed, const AppliedQuantization* applied,
                       const JobContext& job) const {
  Execution execution(m_plan, feed.inputs, applied, feed.batch);
  while (!execution.finished()) {
    job.throwIfCancelled();
    execution.step();
  }
  Tensors tensors;
  for (const ValueId value : m_wanted) {
    if (Tensor tensor = execution.value(value); tensor.defined()) tensors[value] = tensor;
  }
  for (const auto& [input, tensor] : feed.inputs) tensors[input] = tensor;
  return tensors;
}

}  // namespace quantscope
