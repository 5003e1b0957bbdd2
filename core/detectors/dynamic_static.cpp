#include "detectors/dynamic_static.h"

#include <cmath>

#include "detectors/detector_layers.h"

namespace quantscope {
namespace {

// Of the tolerance: at the default one, a batch fills an eighth of the range and loses three bits.
constexpr double kSmallShare = 0.25;

// PyTorch has dynamic kernels for linear layers alone; ONNX's DynamicQuantizeLinear is made for
// matrix products too.
bool runsDynamically(const std::string& op) {
  return op == "Gemm" || op == "MatMul";
}

Suggestion suggestionFor(const DetectorInput& input, const Finding& finding) {
  if (!runsDynamically(input.graph()[finding.node].op)) {
    return {"Calibrate '" + finding.nodeName +
                "' on data like that it will meet, or give it a finer type: backends do not "
                "quantize this operator dynamically.",
            {},
            {}};
  }
  TensorPrecision activation = input.precision[finding.node].activation;
  activation.dynamic = true;
  activation.range.reset();
  return {"Quantize the input of '" + finding.nodeName + "' dynamically.",
          {{finding.nodeName, {}, activation, {}}},
          {}};
}

double batchToEpoch(const DetectorInput& input, ValueId value) {
  const Observation* observation = value.valid() ? input.observations.find(value) : nullptr;
  return observation == nullptr ? std::nan("") : observation->batchToEpoch.value_or(std::nan(""));
}

DynamicStaticStatistics statisticsOf(const DetectorInput& input, const FusedLayer& layer) {
  const Graph& graph = input.graph();
  DynamicStaticStatistics result;
  result.inputS = batchToEpoch(input, dataInput(input.engine, graph[layer.lead()]));
  result.outputS = batchToEpoch(input, outputOf(graph, layer));
  result.dynamicRecommended = result.outputS <= input.thresholds().dynamicTolerance;
  return result;
}

std::optional<Finding> judge(const DetectorInput& input, const FusedLayer& layer) {
  const NodePrecision& precision = input.precision[layer.lead()];
  if (precision.float32 || !hasScale(precision.activation.type) || precision.activation.dynamic) {
    return std::nullopt;
  }
  const DynamicStaticStatistics statistics = statisticsOf(input, layer);
  const double tolerance = input.thresholds().dynamicTolerance;
  const bool after = statistics.dynamicRecommended;
  if (!after && !(statistics.inputS <= tolerance)) return std::nullopt;
  if (!concerns(input, layer.lead())) return std::nullopt;
  Finding finding = findingAt(input, "dynamic_static", layer.lead());
  finding.value =
      after ? outputOf(input.graph(), layer) : dataInput(input.engine, input.graph()[layer.lead()]);
  finding.statistic = after ? statistics.outputS : statistics.inputS;
  finding.threshold = tolerance;
  finding.severity =
      finding.statistic <= kSmallShare * tolerance ? Severity::Warning : Severity::Info;
  finding.evidence = Evidence::BatchRanges;
  finding.text = (after ? "What '" : "What goes into '") + finding.nodeName +
                 (after ? "' computes" : "'") + " spans very different ranges from batch to batch.";
  finding.why =
      "One range for all data is as wide as the widest batch, so that the others use only a few of "
      "its codes; a range for each sample would fit them all.";
  finding.suggestion = suggestionFor(input, finding);
  return finding;
}

}  // namespace

void measureDynamicStatic(const DetectorInput& input, DetectorStatistics& statistics) {
  for (const FusedLayer& layer : weightedLayers(input)) {
    statistics.dynamicStatic.emplace_back(input.graph()[layer.lead()].name,
                                          statisticsOf(input, layer));
  }
}

std::vector<Finding> findNonStationary(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (const FusedLayer& layer : weightedLayers(input)) {
    if (std::optional<Finding> finding = judge(input, layer)) {
      findings.push_back(*std::move(finding));
    }
  }
  return findings;
}

}  // namespace quantscope
