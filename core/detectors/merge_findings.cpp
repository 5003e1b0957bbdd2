#include "detectors/merge_findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include "detectors/detector_layers.h"

namespace quantscope {
namespace {

enum class Fault : std::uint8_t {
  OneScaleForWeights,
  FewSetTheRange,
  UnsteadyBatches,
  OtherData,
  ClippedValues,
  UnusedCodes,
  UnusedSide,
  IdleChannels,
};

/// What a detector's findings are about, and how much they say of it.
struct FindingKind {
  std::string_view detector;
  bool aboutWeights;
  Fault fault;
  int specific;  ///< 0 = general: said of every such tensor
};

// Detectors that are not here speak of a layer as a whole, and of nothing that others speak of.
constexpr std::array kKinds{
    FindingKind{"per_channel", true, Fault::OneScaleForWeights, 0},
    FindingKind{"depthwise_disparity", true, Fault::OneScaleForWeights, 2},
    FindingKind{"channel_dominance", true, Fault::OneScaleForWeights, 1},
    FindingKind{"outlier", false, Fault::FewSetTheRange, 3},
    FindingKind{"range_mismatch", false, Fault::FewSetTheRange, 2},
    FindingKind{"channel_dominance", false, Fault::FewSetTheRange, 1},
    FindingKind{"dynamic_static", false, Fault::UnsteadyBatches, 1},
    FindingKind{"calibration_overfit", false, Fault::OtherData, 1},
    FindingKind{"saturation", false, Fault::ClippedValues, 1},
    FindingKind{"unused_range", false, Fault::UnusedCodes, 1},
    FindingKind{"one_sided", false, Fault::UnusedSide, 1},
    FindingKind{"dead_channels", false, Fault::IdleChannels, 2},
    FindingKind{"bias_overflow", false, Fault::IdleChannels, 1},
};

const FindingKind* kindOf(const Finding& finding) {
  const auto found = std::ranges::find_if(kKinds, [&](const FindingKind& kind) {
    return kind.detector == finding.detector && kind.aboutWeights == finding.aboutWeights;
  });
  return found == kKinds.end() ? nullptr : &*found;
}

/// A point on the grid that a finding is about; nullptr where it is not rounded.
const QuantizationPoint* pointOf(const DetectorInput& input, const Finding& finding) {
  ValueId value = finding.value;
  if (finding.detector == "range_mismatch") {
    value = outputOf(input.graph(), input.index.layerLedBy(finding.node)->layer);
  }
  return input.index.pointMetBy(finding.node, value);
}

/// A fault at a place: of a layer's weights by node, of a grid by group.
using Subject = std::pair<Fault, std::size_t>;

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

auto rankOf(const Finding& finding) {
  const int specific = kindOf(finding)->specific;
  return std::tuple(!finding.onlyIfItHelps, specific > 0, finding.severity, specific);
}

void absorb(Finding& kept, const Finding& other) {
  if (!other.onlyIfItHelps) kept.severity = std::max(kept.severity, other.severity);
}

}  // namespace

void mergeFindings(const DetectorInput& input, std::vector<Finding>& findings) {
  std::vector<Finding> merged;
  std::map<Subject, std::size_t> places;
  for (Finding& finding : findings) {
    const std::optional<Subject> subject = subjectOf(input, finding);
    if (!subject) {
      merged.push_back(std::move(finding));
      continue;
    }
    const auto [place, isNew] = places.try_emplace(*subject, merged.size());
    if (isNew) {
      merged.push_back(std::move(finding));
      continue;
    }
    Finding& kept = merged[place->second];
    if (rankOf(finding) > rankOf(kept)) std::swap(kept, finding);
    absorb(kept, finding);
  }
  findings = std::move(merged);
}

}  // namespace quantscope
