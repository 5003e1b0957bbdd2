#include "detectors/findings/finding_kinds.h"

#include <algorithm>
#include <array>

#include "detectors/detector_layers.h"

namespace quantscope {
namespace {

constexpr std::array kKinds{
    FindingKind{"per_channel", true, Fault::OneScaleForWeights, 0},
    FindingKind{"grouped_scales", true, Fault::OneScaleForWeights, 3},
    FindingKind{"depthwise_disparity", true, Fault::OneScaleForWeights, 2},
    FindingKind{"channel_dominance", true, Fault::OneScaleForWeights, 1},
    FindingKind{"outlier", false, Fault::FewSetTheRange, 3},
    FindingKind{"range_mismatch", false, Fault::FewSetTheRange, 2},
    FindingKind{"channel_dominance", false, Fault::FewSetTheRange, 1},
    FindingKind{"dynamic_static", false, Fault::UnsteadyBatches, 1},
    FindingKind{"calibration_overfit", false, Fault::OtherData, 1},
    FindingKind{"saturation", false, Fault::ClippedValues, 1},
    FindingKind{"shared_grid", false, Fault::UnusedCodes, 2},
    FindingKind{"unused_range", false, Fault::UnusedCodes, 1},
    FindingKind{"one_sided", false, Fault::UnusedSide, 1},
    FindingKind{"steep_function", false, Fault::SmallValues, 1},
    FindingKind{"dead_channels", false, Fault::IdleChannels, 2},
    FindingKind{"bias_overflow", false, Fault::IdleChannels, 1},
};

/// A point on the grid that a finding is about; nullptr where it is not rounded.
const QuantizationPoint* pointOf(const DetectorInput& input, const Finding& finding) {
  ValueId value = finding.value;
  if (finding.detector == "range_mismatch") {
    value = outputOf(input.graph(), input.index.layerLedBy(finding.node)->layer);
  }
  return input.index.pointMetBy(finding.node, value);
}

const LayerResult* rowOf(const DetectorInput& input, NodeId lead) {
  const auto row = std::ranges::find(input.result.layers, lead, &LayerResult::node);
  return row == input.result.layers.end() ? nullptr : &*row;
}

// The parts of a layer that round to a grid.
std::vector<LayerPart> partsOnGrid(const DetectorInput& input, std::size_t group, NodeId lead) {
  const LayerQuantization* layer = input.index.layerLedBy(lead);
  std::vector<LayerPart> parts;
  if (layer == nullptr) return parts;
  const auto onGrid = [&](std::size_t each) {
    return input.model.groups.points[each].group == group;
  };
  if (std::ranges::any_of(layer->edges, onGrid)) parts.push_back(LayerPart::Input);
  if (layer->outputPoint && onGrid(*layer->outputPoint)) parts.push_back(LayerPart::Output);
  return parts;
}

// Members on other grids than the finding's are at fault where its own layer is.
std::vector<LayerPart> partsOnGrids(const DetectorInput& input, const Finding& finding,
                                    NodeId lead) {
  const QuantizationPoint* point = pointOf(input, finding);
  if (point == nullptr) return {};
  const std::vector<LayerPart> parts = partsOnGrid(input, point->group, lead);
  return parts.empty() ? partsOnGrid(input, point->group, finding.node) : parts;
}

std::vector<LayerPart> partsOfOthers(const DetectorInput& input, const Finding& finding,
                                     NodeId lead) {
  if (finding.detector == "equalization") return {LayerPart::Input, LayerPart::Weight};
  if (finding.detector != "dominant_part") return {};
  const LayerResult* row = rowOf(input, lead);
  const auto largest = row != nullptr && row->budget ? dominatingPart(*row->budget) : std::nullopt;
  return largest ? std::vector{largest->part} : std::vector<LayerPart>();
}

}  // namespace

const FindingKind* kindOf(const Finding& finding) {
  const auto found = std::ranges::find_if(kKinds, [&](const FindingKind& kind) {
    return kind.detector == finding.detector && kind.aboutWeights == finding.aboutWeights;
  });
  return found == kKinds.end() ? nullptr : &*found;
}

std::optional<Subject> subjectOf(const DetectorInput& input, const Finding& finding) {
  const FindingKind* kind = kindOf(finding);
  if (kind == nullptr) return std::nullopt;
  // A bias that overflows harmlessly belongs to a channel that says nothing.
  const bool harmful = finding.detector == "bias_overflow" && finding.severity != Severity::Info;
  if (harmful) return std::nullopt;
  if (kind->fault == Fault::OneScaleForWeights || kind->fault == Fault::IdleChannels) {
    return Subject(kind->fault, finding.node.at());
  }
  const QuantizationPoint* point = pointOf(input, finding);
  if (point == nullptr) return std::nullopt;
  return Subject(kind->fault, point->group);
}

std::vector<LayerPart> partsNamed(const DetectorInput& input, const Finding& finding, NodeId lead) {
  const FindingKind* kind = kindOf(finding);
  if (kind == nullptr) return partsOfOthers(input, finding, lead);
  switch (kind->fault) {
    case Fault::OneScaleForWeights:
      return {LayerPart::Weight};
    case Fault::OtherData:
    case Fault::ClippedValues:
      return {LayerPart::Clipping};
    case Fault::IdleChannels:
      return finding.detector == "bias_overflow" ? std::vector{LayerPart::Bias}
                                                 : std::vector<LayerPart>();
    case Fault::FewSetTheRange:
    case Fault::UnsteadyBatches:
    case Fault::UnusedCodes:
    case Fault::UnusedSide:
    case Fault::SmallValues:
      return partsOnGrids(input, finding, lead);
  }
  return {};
}

}  // namespace quantscope
