#pragma once

#include <vector>

#include "detectors/detector.h"

namespace quantscope {

/// Leaves one of the findings that say the same: that the channels of one layer's weights share a
/// scale (per-channel weights, channel dominance, depthwise disparity); that a few values or
/// channels set the range of one grid (outliers, range mismatch, channel dominance); that channels
/// of a layer do nothing (dead channels, biases that overflow without harm); or what one detector
/// says of one grid in several places.
///
/// Of these the general one (per-channel weights) is dropped before any other, else the less severe
/// one, then the less specific, then the later one. What is left keeps its id and becomes as severe
/// as the most severe of them. A finding that is only worth a word if its suggestion helps is
/// dropped before those that hold by themselves, and leaves no trace.
///
/// The layers of what is dropped become members of what is left. What only says which part of a
/// layer's error is the largest (findDominantParts()) is dropped where another finding names that
/// part and suggests a change; it then says how large the part is.
void mergeFindings(const DetectorInput& input, std::vector<Finding>& findings);

}  // namespace quantscope
