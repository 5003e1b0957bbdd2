#include "analysis/local_probe.h"

#include <algorithm>
#include <iterator>

#include "analysis/layer_run.h"
#include "analysis/tensor_errors.h"
#include "calibration/feed_loop.h"
#include "engine/evaluation/evaluation.h"

namespace quantscope {
namespace {

ContentId recordOf(ContentId expected, ContentId actual) {
  static const ContentId kind = ContentHasher().add("all elements").id();
  return combined({kind, expected, actual});
}

// The values of the float network that the probes without errors need.
std::vector<ValueId> valuesFor(const Graph& graph,
                               std::span<const std::optional<LocalProbe>> probes,
                               std::span<const std::shared_ptr<const ErrorRecord>> records) {
  std::vector<ValueId> wanted;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    if (!probes[i] || records[i] != nullptr) continue;
    wanted.push_back(probes[i]->output);
    std::ranges::copy_if(graph[probes[i]->layer->lead()].inputs, std::back_inserter(wanted),
                         &ValueId::valid);
  }
  return wanted;
}

}  // namespace

std::optional<LocalProbe> probeOf(const Evaluator& evaluator, const ValueKeys& referenceKeys,
                                  const LayerQuantization& layer,
                                  const AppliedQuantization& applied) {
  const Engine& engine = evaluator.engine();
  const std::vector<NodeId>& members = layer.layer.members;
  const ValueId output = engine.graph()[layer.layer.last()].outputs.at(0);
  const bool runs =
      std::ranges::all_of(members, [&](NodeId member) { return engine.kernel(member) != nullptr; });
  const bool measured = layer.quantized && runs && output.valid() && evaluator.computable(output) &&
                        engine.graph()[output].block == Graph::mainBlock();
  if (!measured) return std::nullopt;
  const ContentId value = referenceKeys.after(members, applied);
  return LocalProbe{&layer.layer, &applied, output, value, recordOf(referenceKeys[output], value)};
}

ErrorRecord measureProbe(const Tensor& expected, const Tensor& actual, std::size_t batch,
                         std::size_t samples) {
  ErrorRecord record{std::vector<ChannelSums>(samples)};
  const bool compares = expected.defined() && isFloat(expected.type()) && actual.defined() &&
                        actual.shape() == expected.shape();
  if (compares) addErrors(expected, actual, ChannelAxis(), batch, record.samples);
  return record;
}

std::vector<std::optional<double>> localSqnrDb(const Evaluator& evaluator,
                                               const ValueKeys& referenceKeys,
                                               std::span<const std::optional<LocalProbe>> probes,
                                               SampleSet& samples, AnalysisMemory& memory,
                                               JobContext& job) {
  const Engine& engine = evaluator.engine();
  const Graph& graph = engine.graph();
  using Records = std::vector<std::shared_ptr<const ErrorRecord>>;  // by probe
  std::vector<ErrorSums> totals(probes.size());
  job.beginStage("Local errors", samples.sampleCount());
  forEachFeed(
      samples, job,
      [&](const Feed& feed) {
        Records records(probes.size());
        for (std::size_t i = 0; i < probes.size(); ++i) {
          if (!probes[i]) continue;
          records[i] = memory.errors.find<ErrorRecord>(combined({feed.content, probes[i]->record}));
        }
        const std::vector<ValueId> wanted = valuesFor(graph, probes, records);
        if (wanted.empty()) return records;
        const SampleInputs sample{feed.content, feed.inputs, feed.batch};
        Evaluation reference(evaluator, sample, referenceKeys, nullptr, wanted,
                             Evaluation::Keep::InCache);
        reference.run(job);
        for (std::size_t i = 0; i < probes.size(); ++i) {
          if (!probes[i] || records[i] != nullptr) continue;
          job.throwIfCancelled();
          const FusedLayer& layer = *probes[i]->layer;
          const Tensor actual =
              runLayer(engine, layer, quantizationOf(layer, *probes[i]->applied), feed.batch,
                       [&](NodeId node, std::size_t input, Layout preferred) {
                         return tensorOf(reference.find(graph[node].inputs[input]), preferred);
                       });
          records[i] = memory.errors.insert(combined({feed.content, probes[i]->record}),
                                            measureProbe(reference.find(probes[i]->output).tensor,
                                                         actual, feed.batch, feed.samples));
        }
        return records;
      },
      [&](const Feed& /*feed*/, const Records& records) {
        for (std::size_t i = 0; i < probes.size(); ++i) {
          if (records[i] == nullptr) continue;
          for (const ChannelSums& each : records[i]->samples) totals[i].add(total(each));
        }
      });
  std::vector<std::optional<double>> result(probes.size());
  for (std::size_t i = 0; i < probes.size(); ++i) {
    if (totals[i].count > 0) result[i] = sqnrDb(totals[i]);
  }
  return result;
}

}  // namespace quantscope
