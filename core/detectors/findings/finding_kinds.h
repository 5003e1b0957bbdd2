#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/sensitivity/layer_part.h"
#include "detectors/detector.h"

namespace quantscope {

/// The kind of a fault, whichever detector finds it.
enum class Fault : std::uint8_t {
  OneScaleForWeights,
  FewSetTheRange,
  UnsteadyBatches,
  OtherData,
  ClippedValues,
  UnusedCodes,
  UnusedSide,
  SmallValues,
  IdleChannels,
};

/// The subject of a detector's findings, and how specific they are.
struct FindingKind {
  std::string_view detector;
  bool aboutWeights;
  Fault fault;
  int specific;  ///< 0 = general: said of every such tensor
};

/// nullptr for detectors that speak of a layer as a whole, and of nothing that others speak of.
const FindingKind* kindOf(const Finding& finding);

/// A fault at a place: of a layer's weights by node, of a grid by group.
using Subject = std::pair<Fault, std::size_t>;

/// Findings of one subject say the same; nothing where a finding stands for itself.
std::optional<Subject> subjectOf(const DetectorInput& input, const Finding& finding);

/// The parts of a layer's error that a finding explains. `lead`: of the layer, the finding's node
/// or one of its members.
std::vector<LayerPart> partsNamed(const DetectorInput& input, const Finding& finding, NodeId lead);

}  // namespace quantscope
