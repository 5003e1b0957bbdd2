#include "analysis/analysis_result_bytes.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "precision/config/precision_bytes.h"

namespace quantscope {
namespace {

// Since 2 the classes of the samples follow the result, since 3 what layers do to the outputs,
// since 4 how many samples have labels.
constexpr std::uint32_t kResultVersion = 4;
constexpr std::uint32_t kWithoutLabelled = 3;
constexpr std::uint32_t kWithoutContributions = 2;
constexpr std::uint32_t kWithoutClasses = 1;

/// By output: the classes of each sample in the float and in the quantized network.
using SampleClasses = std::vector<std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>>>;

SampleClasses classesOf(const AnalysisResult& result) {
  SampleClasses classes;
  for (const OutputResult& output : result.outputs) {
    classes.emplace_back(output.floatClasses, output.quantizedClasses);
  }
  return classes;
}

std::vector<std::optional<LayerError>> contributionsOf(const AnalysisResult& result) {
  std::vector<std::optional<LayerError>> contributions;
  for (const LayerResult& layer : result.layers) contributions.push_back(layer.contribution);
  return contributions;
}

std::vector<std::uint64_t> labelledOf(const AnalysisResult& result) {
  std::vector<std::uint64_t> labelled;
  for (const OutputResult& output : result.outputs) labelled.push_back(output.labelled);
  return labelled;
}

}  // namespace

template <class Archive>
void carry(Archive& archive, ErrorMetrics& metrics) {
  carryAll(archive, metrics.count, metrics.nonFinite, metrics.sqnrDb, metrics.nmse, metrics.cosine,
           metrics.mse, metrics.rmse, metrics.maxAbs, metrics.meanAbs, metrics.meanSigned,
           metrics.rmseOverScale);
}

template <class Archive>
void carry(Archive& archive, LayerError& error) {
  carryAll(archive, error.total, error.channelSqnrDb, error.sampleSqnrDb);
}

template <class Archive>
void carry(Archive& archive, OutputHistogram& histogram) {
  carryAll(archive, histogram.low, histogram.high, histogram.reference, histogram.quantized);
  if constexpr (Archive::kReads) {
    if (histogram.reference.size() != histogram.quantized.size()) archive.fail("are damaged");
  }
}

template <class Archive>
void carry(Archive& archive, AppliedType& type) {
  carryAll(archive, type.type, type.granularity, type.symmetric, type.dynamic);
}

template <class Archive>
void carry(Archive& archive, ErrorBudget& budget) {
  carryAll(archive, budget.input, budget.weight, budget.bias, budget.output, budget.clipping,
           budget.together);
}

template <class Archive>
void carry(Archive& archive, LadderStep& step) {
  carryAll(archive, step.value, step.weightsOnlyDb, step.activationsOnlyDb, step.bothDb);
}

template <class Archive>
void carry(Archive& archive, LayerResult& layer) {
  carryAll(archive, layer.node, layer.members, layer.name, layer.op, layer.fusedOps, layer.scope,
           layer.outputValue, layer.channelAxis, layer.parameters, layer.quantized, layer.dataMover,
           layer.weight, layer.activation, layer.output, layer.outputScale, layer.biasOverflows,
           layer.observedMin, layer.observedMax, layer.representableMin, layer.representableMax,
           layer.clippedShare, layer.clippedSquare, layer.analysedMin, layer.analysedMax,
           layer.local, layer.accumulated, layer.histogram, layer.budget);
}

template <class Archive>
void carry(Archive& archive, OutputResult& output) {
  carryAll(archive, output.value, output.error, output.sampleSqnrDb, output.kl,
           output.top1Agreement, output.accuracyFloat, output.accuracyQuantized);
}

template <class Archive>
void carry(Archive& archive, NotComputed& node) {
  carryAll(archive, node.node, node.op, node.domain, node.version, node.reason);
}

template <class Archive>
void carry(Archive& archive, NotSupported& asked) {
  carryAll(archive, asked.node, asked.asked, asked.nearest, asked.reason, asked.nearestPrecision);
}

template <class Archive>
void carry(Archive& archive, QuantizationSummary& summary) {
  carryAll(archive, summary.nodesByType, summary.quantizedLayers, summary.meanCompression,
           summary.trueCompression, summary.memorySavedBytes, summary.memorySavedPercent,
           summary.floatBytes, summary.quantizedBytes, summary.calibrationSamples,
           summary.macsAbove8Bits);
}

template <class Archive>
void carry(Archive& archive, AnalysisResult& result) {
  carryAll(archive, result.model, result.data, result.calibrationData, result.backend,
           result.scheme, result.samples, result.synthetic, result.layers, result.outputs,
           result.ladder, result.notComputed, result.notSupported, result.notices, result.summary);
}

namespace {

bool isOf(const LayerResult& layer, const Graph& graph) {
  const auto known = [&](NodeId node) { return node.valid() && node.at() < graph.nodes().size(); };
  return known(layer.node) && std::ranges::all_of(layer.members, known) &&
         graph[layer.node].name == layer.name;
}

}  // namespace

std::string outputsToBytes(const std::vector<OutputResult>& outputs) {
  return bytesOf(outputs);
}

std::vector<OutputResult> outputsFromBytes(std::string_view bytes) {
  const BytesOf of{"the results of a rank", "another rank", "run it again"};
  ByteReader reader(bytes, of);
  std::vector<OutputResult> outputs;
  carry(reader, outputs);
  reader.requireEnd();
  return outputs;
}

std::string analysisResultToBytes(const AnalysisResult& result) {
  return bytesOf(kResultVersion) + bytesOf(result) + bytesOf(classesOf(result)) +
         bytesOf(contributionsOf(result)) + bytesOf(labelledOf(result));
}

AnalysisResult analysisResultFromBytes(std::string_view bytes, const Graph& graph,
                                       const std::string& source) {
  const BytesOf of{"the kept results", source, "analyse again"};
  ByteReader reader(bytes, of);
  const std::uint32_t version =
      reader.version({kResultVersion, kWithoutLabelled, kWithoutContributions, kWithoutClasses});
  AnalysisResult result;
  carry(reader, result);
  if (version != kWithoutClasses) {
    SampleClasses classes;
    carry(reader, classes);
    if (classes.size() != result.outputs.size()) reader.fail("are damaged");
    for (std::size_t i = 0; i < classes.size(); ++i) {
      std::tie(result.outputs[i].floatClasses, result.outputs[i].quantizedClasses) = classes[i];
    }
  }
  if (version >= kWithoutLabelled) {
    std::vector<std::optional<LayerError>> contributions;
    carry(reader, contributions);
    if (contributions.size() != result.layers.size()) reader.fail("are damaged");
    for (std::size_t i = 0; i < contributions.size(); ++i) {
      result.layers[i].contribution = std::move(contributions[i]);
    }
  }
  if (version == kResultVersion) {
    std::vector<std::uint64_t> labelled;
    carry(reader, labelled);
    if (labelled.size() != result.outputs.size()) reader.fail("are damaged");
    for (std::size_t i = 0; i < labelled.size(); ++i) result.outputs[i].labelled = labelled[i];
  }
  reader.requireEnd();
  for (const LayerResult& layer : result.layers) {
    if (!isOf(layer, graph)) reader.fail("are of another model");
  }
  return result;
}

}  // namespace quantscope
