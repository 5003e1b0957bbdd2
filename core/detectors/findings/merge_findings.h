#pragma once

#include <vector>

#include "detectors/detector.h"

namespace quantscope {

/// Merges findings that say the same into one: that the channels of one layer's weights share a
/// scale (per-channel weights, channel dominance, depthwise disparity); that a few values or
/// channels set the range of one grid (outliers, range mismatch, channel dominance); that channels
/// of a layer do nothing (dead channels, biases that overflow without harm); or that one detector
/// reports one grid in several places.
///
/// Of these the general one (per-channel weights) is dropped before any other, else the less severe
/// one, then the less specific, of one detector that which exceeds its threshold by less, then the
/// later one. The remaining finding keeps its id and becomes
/// as severe as the most severe of them. A finding that is reported only if its suggestion helps
/// (onlyIfItHelps) is dropped before all others, and leaves no trace.
///
/// The layers of a dropped finding become members of the remaining one. A finding of
/// findDominantParts() is dropped if another finding names the same part of the error and suggests
/// a change; the other one then also says how large the part is.
void mergeFindings(const DetectorInput& input, std::vector<Finding>& findings);

}  // namespace quantscope
