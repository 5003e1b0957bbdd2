#include "analysis/errors/contributions.h"

#include "analysis/errors/worst_output.h"
#include "analysis/sensitivity/sweep.h"

namespace quantscope {
namespace {

// By layer: the changes from the float network to one with this layer alone quantized.
std::vector<QuantizationChanges> changesByLayer(const QuantizedModel& reference,
                                                const QuantizedModel& model) {
  std::vector<std::size_t> layerOf(model.applied.size(), model.layers.size());
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    for (const NodeId member : model.layers[i].layer.members) layerOf[member.at()] = i;
  }
  std::vector<QuantizationChanges> changes(model.layers.size());
  for (auto& change : changesBetween(reference.applied, model.applied)) {
    const std::size_t layer = layerOf[change.first.at()];
    if (layer < changes.size()) changes[layer].push_back(std::move(change));
  }
  return changes;
}

std::optional<LayerError> worstOf(const std::vector<OutputResult>& outputs) {
  const OutputResult* worst = worstOutput(outputs);
  if (worst == nullptr) return std::nullopt;
  return LayerError{
      .total = worst->error, .channelSqnrDb = {}, .sampleSqnrDb = worst->sampleSqnrDb};
}

}  // namespace

std::vector<std::optional<LayerError>> measureContributions(
    const Engine& engine, const QuantizedModel& reference, const QuantizedModel& model,
    SampleSet& samples, AnalysisMemory& memory, JobContext& job) {
  std::vector<QuantizationChanges> changes;
  std::vector<std::size_t> layers;
  std::vector<QuantizationChanges> byLayer = changesByLayer(reference, model);
  for (std::size_t i = 0; i < byLayer.size(); ++i) {
    if (byLayer[i].empty()) continue;
    changes.push_back(std::move(byLayer[i]));
    layers.push_back(i);
  }
  std::vector<std::optional<LayerError>> contributions(model.layers.size());
  if (changes.empty()) return contributions;
  const auto& outputs = engine.graph().outputs();
  Sweep sweep(engine, reference, {outputs.begin(), outputs.end()}, samples, memory, job);
  const auto measured = sweep.run(changes, "Each layer alone");
  for (std::size_t i = 0; i < layers.size(); ++i) contributions[layers[i]] = worstOf(measured[i]);
  return contributions;
}

}  // namespace quantscope
