#include "detectors/numbers/non_finite.h"

#include <algorithm>
#include <cstdio>
#include <set>

#include "detectors/changes/group_changes.h"
#include "detectors/detector_layers.h"

namespace quantscope {
namespace {

// The first number that rounds up to 2^16, which fp16 does not have.
constexpr double kFirstBeyondHalf = 65520;

bool holdsNonFinite(const DetectorInput& input, ValueId value) {
  const Observation* observation = value.valid() ? input.observations.find(value) : nullptr;
  return observation != nullptr && observation->nonFinite > 0;
}

/// The first value inside a layer that holds some; none where the layer is not where they start.
ValueId firstNonFinite(const DetectorInput& input, const FusedLayer& layer) {
  for (const NodeId member : layer.members) {
    const std::vector<ValueId> inputs = readValues(input.graph(), member);
    if (std::ranges::any_of(inputs, [&](ValueId read) { return holdsNonFinite(input, read); })) {
      return {};
    }
    for (const ValueId output : input.graph()[member].outputs) {
      if (holdsNonFinite(input, output)) return output;
    }
  }
  return {};
}

bool reachesAnOutput(const DetectorInput& input, ValueId start) {
  const Graph& graph = input.graph();
  std::set<ValueId> seen{start};
  std::vector<ValueId> open{start};
  while (!open.empty()) {
    const ValueId value = open.back();
    open.pop_back();
    if (std::ranges::find(graph.outputs(), value) != graph.outputs().end()) return true;
    for (const NodeId consumer : graph[value].consumers) {
      for (const ValueId next : graph[consumer].outputs) {
        if (holdsNonFinite(input, next) && seen.insert(next).second) open.push_back(next);
      }
    }
  }
  return false;
}

Finding startOf(const DetectorInput& input, const FusedLayer& layer, ValueId value) {
  const Observation& observation = *input.observations.find(value);
  Finding finding = findingAt(input, "non_finite", layer.lead());
  finding.value = value;
  finding.statistic = static_cast<double>(observation.nonFinite) /
                      static_cast<double>(observation.nonFinite + observation.count);
  const bool spreads = reachesAnOutput(input, value);
  finding.severity = spreads ? Severity::Critical : Severity::Warning;
  finding.text = "'" + finding.nodeName + "' computes numbers that are infinite or undefined" +
                 (spreads ? ", and they go on to an output." : ".");
  finding.why =
      "No quantized type but the floating ones can hold them, ranges leave them out, and all that "
      "is computed from them is lost.";
  finding.evidence = Evidence::Histogram;
  finding.suggestion = Suggestion{
      "Look at what goes into '" + finding.nodeName +
          "': a division by 0, a logarithm of 0, or an exponential of a large number; bound it "
          "before (Clip) or add a small constant.",
      {},
      {}};
  return finding;
}

// In bfloat16, or in float where the backend has none.
std::optional<Suggestion> wideHalf(const DetectorInput& input, const QuantizationPoint& point,
                                   NodeId node) {
  std::vector<ConfigChange> changes =
      changeGroup(input, point.value, point.consumer,
                  [](TensorPrecision& precision) { precision.type = QuantType::BFloat16; });
  if (changes.empty()) return std::nullopt;
  if (!allRun(input, changes)) return keepFloat(input, node);
  return Suggestion{"Use bf16 at '" + input.graph()[node].name +
                        "': it is coarser but reaches as far as float32.",
                    std::move(changes),
                    {}};
}

/// The leader of the layer that a point belongs to; none where the layer has no row.
NodeId layerOf(const DetectorInput& input, const QuantizationPoint& point) {
  if (!point.isOutput()) return point.consumer;
  const LayerQuantization* layer = input.index.layerComputing(point.value);
  return layer == nullptr ? NodeId() : layer->layer.lead();
}

std::optional<Finding> halfOverflow(const DetectorInput& input, const QuantizationPoint& point) {
  const Observation* observation = input.observations.find(point.value);
  if (point.precision.type != QuantType::Float16 || observation == nullptr) return std::nullopt;
  const NodeId node = layerOf(input, point);
  if (observation->range.empty || observation->absmax() < kFirstBeyondHalf || !node.valid()) {
    return std::nullopt;
  }
  Finding finding = findingAt(input, "non_finite", node);
  finding.id += "/" + input.graph()[point.value].name;
  finding.value = point.value;
  finding.statistic = observation->absmax();
  finding.threshold = largestNumber(QuantType::Float16);
  finding.severity = Severity::Critical;
  char text[48];
  std::snprintf(text, sizeof text, "reaches %.4g", finding.statistic);
  finding.text = "What '" + finding.nodeName + (point.isOutput() ? "' computes " : "' reads ") +
                 text + ", which fp16 turns into infinity.";
  finding.why =
      "The largest number of fp16 is 65504; whatever lies beyond becomes infinite, and "
      "so does all that is computed from it.";
  finding.evidence = Evidence::Histogram;
  finding.suggestion = wideHalf(input, point, node);
  return finding;
}

}  // namespace

std::vector<Finding> findNonFinite(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (const FusedLayer& layer : input.layers.all) {
    const ValueId value = firstNonFinite(input, layer);
    if (value.valid()) findings.push_back(startOf(input, layer, value));
  }
  std::set<ValueId> told;
  for (const QuantizationPoint& point : input.model.groups.points) {
    if (told.contains(point.value)) continue;
    std::optional<Finding> finding = halfOverflow(input, point);
    if (!finding) continue;
    told.insert(point.value);
    findings.push_back(*std::move(finding));
  }
  return findings;
}

}  // namespace quantscope
