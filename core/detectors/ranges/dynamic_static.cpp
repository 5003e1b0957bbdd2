#include "detectors/ranges/dynamic_static.h"

#include <algorithm>
#include <cmath>

#include "detectors/detector_layers.h"

namespace quantscope {
namespace {

// A share of the tolerance: with the default tolerance, a batch then fills an eighth of the range
// and loses three bits.
constexpr double kSmallShare = 0.25;

/// The backend's way to run an operator on activations whose range is taken while it runs; nullptr
/// where it has none.
const OperatorWay* dynamicWay(const Backend& backend, const std::string& op) {
  const auto found = std::ranges::find_if(backend.ways, [&](const OperatorWay& way) {
    return way.dynamic && std::ranges::find(way.operators, op) != way.operators.end();
  });
  return found == backend.ways.end() ? nullptr : &*found;
}

const OperatorWay* staticWay(const Backend& backend, const std::string& op) {
  const auto found = std::ranges::find_if(backend.ways, [&](const OperatorWay& way) {
    return !way.dynamic && std::ranges::find(way.operators, op) != way.operators.end();
  });
  return found == backend.ways.end() ? nullptr : &*found;
}

/// An output of a type that the way has, where the present one's is none; else nothing.
std::optional<TensorPrecision> outputFor(const OperatorWay& way, const TensorPrecision& output,
                                         TensorPrecision otherwise) {
  if (!way.output) return std::nullopt;
  const std::vector<QuantType>& types = way.output->types;
  if (std::ranges::find(types, output.type) != types.end()) return std::nullopt;
  if (std::ranges::find(types, otherwise.type) == types.end()) otherwise.type = types.front();
  return otherwise;
}

Suggestion dynamicSuggestion(const DetectorInput& input, const Finding& finding) {
  const OperatorWay* way = dynamicWay(input.backend, input.graph()[finding.node].op);
  if (way == nullptr) {
    return {"Calibrate '" + finding.nodeName +
                "' on data like that it will meet, or give it a finer type: backend " +
                input.backend.name + " does not quantize this operator dynamically.",
            {},
            {}};
  }
  const NodePrecision& precision = input.precision[finding.node];
  ConfigChange change{finding.nodeName, {}, precision.activation, {}};
  change.activation->dynamic = true;
  change.activation->range.reset();
  change.activation->observer = {};
  change.output = outputFor(*way, precision.output, TensorPrecision{});
  return {"Quantize the input of '" + finding.nodeName + "' dynamically.", {std::move(change)}, {}};
}

double batchToEpoch(const DetectorInput& input, ValueId value) {
  const Observation* observation = value.valid() ? input.observations.find(value) : nullptr;
  return observation == nullptr ? std::nan("") : observation->batchToEpoch.value_or(std::nan(""));
}

DynamicStaticStatistics dynamicStatistics(const DetectorInput& input, const FusedLayer& layer) {
  const Graph& graph = input.graph();
  DynamicStaticStatistics result;
  result.inputS = batchToEpoch(input, dataInput(input.engine, graph[layer.lead()]));
  result.outputS = batchToEpoch(input, outputOf(graph, layer));
  result.dynamicRecommended = result.outputS <= input.thresholds().dynamicTolerance;
  return result;
}

std::optional<Suggestion> makeStatic(const DetectorInput& input, const Finding& finding) {
  const OperatorWay* way = staticWay(input.backend, input.graph()[finding.node].op);
  if (way == nullptr) return std::nullopt;
  const NodePrecision& precision = input.precision[finding.node];
  ConfigChange change{finding.nodeName, {}, precision.activation, {}};
  change.activation->dynamic = false;
  change.output = outputFor(*way, precision.output, *change.activation);
  return Suggestion{
      "Quantize the input of '" + finding.nodeName + "' statically.", {std::move(change)}, {}};
}

std::optional<Finding> judgeDynamic(const DetectorInput& input, const FusedLayer& layer,
                                    const DynamicStaticStatistics& statistics) {
  const double tolerance = input.thresholds().dynamicTolerance;
  const bool steady = statistics.inputS > tolerance && statistics.outputS > tolerance;
  if (!steady || !concerns(input, layer.lead())) return std::nullopt;
  Finding finding = findingAt(input, "dynamic_static", layer.lead());
  finding.value = dataInput(input.engine, input.graph()[layer.lead()]);
  finding.statistic = std::min(statistics.inputS, statistics.outputS);
  finding.threshold = tolerance;
  finding.evidence = Evidence::BatchRanges;
  finding.text = "Ranges around '" + finding.nodeName +
                 "' hardly differ from batch to batch: static would do, and costs less.";
  finding.why =
      "A dynamic layer looks for the range of each sample while it runs; where all samples have "
      "about the same, one that is found beforehand loses little.";
  finding.suggestion = makeStatic(input, finding);
  return finding;
}

std::optional<Finding> judgeRanges(const DetectorInput& input, const FusedLayer& layer) {
  const NodePrecision& precision = input.precision[layer.lead()];
  if (precision.float32 || !hasScale(precision.activation.type)) return std::nullopt;
  const DynamicStaticStatistics statistics = dynamicStatistics(input, layer);
  if (precision.activation.dynamic) return judgeDynamic(input, layer, statistics);
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
  finding.suggestion = dynamicSuggestion(input, finding);
  return finding;
}

}  // namespace

void measureDynamicStatic(const DetectorInput& input, DetectorStatistics& statistics) {
  for (const FusedLayer& layer : input.layers.weighted) {
    statistics.dynamicStatic.emplace_back(input.graph()[layer.lead()].name,
                                          dynamicStatistics(input, layer));
  }
}

std::vector<Finding> findNonStationary(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (const FusedLayer& layer : input.layers.weighted) {
    if (std::optional<Finding> finding = judgeRanges(input, layer)) {
      findings.push_back(*std::move(finding));
    }
  }
  return findings;
}

}  // namespace quantscope
