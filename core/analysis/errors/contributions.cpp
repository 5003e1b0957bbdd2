#include "analysis/errors/contributions.h"

#include "analysis/errors/worst_output.h"
#include "analysis/sensitivity/sweep.h"
#include "base/workers.h"
#include "precision/config/layer_alone.h"

namespace quantscope {
namespace {

std::optional<LayerError> worstOf(const std::vector<OutputResult>& outputs) {
  const OutputResult* worst = worstOutput(outputs);
  if (worst == nullptr) return std::nullopt;
  return LayerError{
      .total = worst->error, .channelSqnrDb = {}, .sampleSqnrDb = worst->sampleSqnrDb};
}

}  // namespace

std::vector<std::optional<LayerError>> measureContributions(
    const Engine& engine, const Configuration& config, const Observations& observations,
    const QuantizedModel& model, SampleSet& samples, AnalysisMemory& memory, JobContext& job) {
  const Graph& graph = engine.graph();
  const ResolvedConfig resolved(graph, *config.precision);
  const std::shared_ptr<const QuantizedModel> reference =
      quantizeModel(engine, inFloat(config), observations, memory.parameters, &job);
  std::vector<QuantizationChanges> byLayer(model.layers.size());
  job.workers().forEach(byLayer.size(), [&](std::size_t i) {
    job.throwIfCancelled();
    const NodeId lead = model.layers[i].layer.lead();
    if (!model.layers[i].quantized || graph[lead].name.empty()) return;
    const Configuration alone = layerAlone(config, graph[lead].name, resolved[lead]);
    const QuantizedVariant variant =
        quantizeVariant(engine, alone, observations, memory.parameters, lead);
    byLayer[i] = changesBetween(reference->applied, variant.applied);
  });
  std::vector<QuantizationChanges> changes;
  std::vector<std::size_t> layers;
  for (std::size_t i = 0; i < byLayer.size(); ++i) {
    if (byLayer[i].empty()) continue;
    changes.push_back(std::move(byLayer[i]));
    layers.push_back(i);
  }
  std::vector<std::optional<LayerError>> contributions(model.layers.size());
  if (changes.empty()) return contributions;
  Sweep sweep(engine, *reference, {graph.outputs().begin(), graph.outputs().end()}, samples, memory,
              job);
  const auto measured = sweep.run(changes, "Each layer alone");
  for (std::size_t i = 0; i < layers.size(); ++i) contributions[layers[i]] = worstOf(measured[i]);
  return contributions;
}

}  // namespace quantscope
