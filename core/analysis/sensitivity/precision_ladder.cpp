#include "analysis/sensitivity/precision_ladder.h"

#include <algorithm>

#include "analysis/sensitivity/layer_parts.h"
#include "analysis/sensitivity/sweep.h"

namespace quantscope {
namespace {

QuantizationChanges withoutActivations(const QuantizedModel& model) {
  QuantizationChanges changes;
  for (const LayerQuantization& layer : model.layers) {
    for (const NodeId member : layer.layer.members) {
      NodeQuantization changed = model.applied[member];
      if (changed.empty()) continue;
      changed.inputs.clear();
      changed.outputs.clear();
      std::erase_if(changed.constants, [&](const auto& constant) {
        return isOnEdge(model, layer, member, constant.first);
      });
      changes.emplace_back(member, share(std::move(changed)));
    }
  }
  return changes;
}

QuantizationChanges withoutWeights(const Engine& engine, const QuantizedModel& model) {
  QuantizationChanges changes;
  for (const LayerQuantization& layer : model.layers) {
    if (layer.weights.empty()) continue;
    const std::vector<NodeQuantization> inFloat = floatConstants(engine, model, layer);
    for (std::size_t i = 0; i < inFloat.size(); ++i) {
      const NodeId member = layer.layer.members[i];
      NodeQuantization changed = model.applied[member];
      if (changed.empty()) continue;
      std::erase_if(changed.constants, [&](const auto& constant) {
        return !isOnEdge(model, layer, member, constant.first);
      });
      std::ranges::copy(inFloat[i].constants, std::back_inserter(changed.constants));
      changes.emplace_back(member, share(std::move(changed)));
    }
  }
  return changes;
}

}  // namespace

std::vector<LadderStep> measureLadder(const Engine& engine, const QuantizedModel& model,
                                      const AnalysisResult& result, SampleSet& samples,
                                      AnalysisMemory& memory, JobContext& job) {
  const Graph& graph = engine.graph();
  std::vector<ValueId> outputs;
  std::vector<LadderStep> ladder;
  for (const OutputResult& output : result.outputs) {
    const ValueId value = graph.findValue(output.value);
    if (!output.error.sqnrDb || !value.valid()) continue;
    outputs.push_back(value);
    ladder.push_back({output.value, {}, {}, output.error.sqnrDb});
  }
  if (outputs.empty()) return ladder;
  Sweep sweep(engine, model, outputs, samples, memory, job);
  const std::vector<QuantizationChanges> changes{withoutActivations(model),
                                                 withoutWeights(engine, model)};
  const std::vector<std::vector<OutputResult>> rows =
      sweep.run(changes, "Weights and activations apart");
  for (std::size_t i = 0; i < ladder.size(); ++i) {
    ladder[i].weightsOnlyDb = rows[0][i].error.sqnrDb;
    ladder[i].activationsOnlyDb = rows[1][i].error.sqnrDb;
  }
  return ladder;
}

}  // namespace quantscope
