#include "detectors/dominant_part.h"

#include "analysis/bad_layers.h"
#include "analysis/sensitivity/layer_part.h"
#include "base/number_text.h"
#include "detectors/changes/group_changes.h"
#include "detectors/changes/remedies.h"
#include "detectors/detector_layers.h"

namespace quantscope {
namespace {

// Half of the signal, in amplitude, is error.
constexpr double kSpoiltDb = 10;

const char* words(LayerPart part) {
  switch (part) {
    case LayerPart::Input:
      return "the rounding of what goes in";
    case LayerPart::Weight:
      return "the rounding of its weights";
    case LayerPart::Bias:
      return "its integer bias";
    case LayerPart::Output:
      return "the rounding of its output";
    case LayerPart::Clipping:
      return "values beyond its grids";
  }
  return "";
}

const char* mechanism(LayerPart part) {
  switch (part) {
    case LayerPart::Input:
      return "The step of the input's grid is large beside what the layer makes of small "
             "differences between its values.";
    case LayerPart::Weight:
      return "The steps between the codes of the weights are large beside the weights, and what "
             "they multiply adds the errors up.";
    case LayerPart::Bias:
      return "A bias is counted in steps of the input's scale times the weights' scale.";
    case LayerPart::Output:
      return "The step of the output's grid follows from its widest values; most are small beside "
             "it.";
    case LayerPart::Clipping:
      return "Values beyond the last code become the last code, however far they lie.";
  }
  return "";
}

Severity severityAt(double decibels) {
  if (decibels >= kBadLayerDb) return Severity::Info;
  return decibels < kSpoiltDb ? Severity::Critical : Severity::Warning;
}

ValueId shownValue(const DetectorInput& input, const LayerQuantization& layer, LayerPart part) {
  if (part == LayerPart::Input && !layer.edges.empty()) {
    return input.model.groups.points[layer.edges.front()].value;
  }
  return outputOf(input.graph(), layer.layer);
}

// Budgets are measured in the main graph only; float is a way out for any layer.
Finding undivided(const DetectorInput& input, std::size_t index) {
  const LayerResult& row = input.result.layers[index];
  const LayerQuantization& layer = input.model.layers[index];
  Finding finding = findingAt(input, "dominant_part", layer.layer.lead());
  finding.value = outputOf(input.graph(), layer.layer);
  finding.statistic = 1;
  finding.severity = severityAt(ownDb(row));
  finding.evidence = Evidence::LayerError;
  finding.text = "The error of '" + finding.nodeName + "' (" + briefNumber(ownDb(row)) +
                 " dB) is known as a whole only.";
  finding.why =
      "The parts of the errors of layers in the body of another operator are not "
      "measured.";
  finding.suggestion = keepFloat(input, layer.layer.lead());
  return finding;
}

}  // namespace

std::vector<Finding> findDominantParts(const DetectorInput& input) {
  std::vector<Finding> findings;
  for (const std::size_t index : layersToExplain(input.result)) {
    const LayerResult& row = input.result.layers[index];
    const LayerQuantization& layer = input.model.layers[index];
    if (!layer.quantized || !layer.notCalibrated.empty()) continue;
    const bool inBody = input.graph()[layer.layer.lead()].block != Graph::mainBlock();
    if (!row.budget && inBody) findings.push_back(undivided(input, index));
    const auto largest = row.budget ? dominatingPart(*row.budget) : std::nullopt;
    if (!largest) continue;
    Finding finding = findingAt(input, "dominant_part", layer.layer.lead());
    finding.value = shownValue(input, layer, largest->part);
    finding.aboutWeights = largest->part == LayerPart::Weight;
    finding.statistic = largest->share;
    finding.severity = severityAt(ownDb(row));
    finding.evidence = Evidence::LayerError;
    finding.text = "The error of '" + finding.nodeName + "' (" + briefNumber(ownDb(row)) +
                   " dB) comes to " + briefPercent(largest->share) + " from " +
                   words(largest->part) + ".";
    finding.why = mechanism(largest->part);
    finding.suggestion = remedyFor(input, index, largest->part);
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace quantscope
