#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Weights or activations under one scale, of which a single channel sets the range of all: it is
/// at least twice as wide as the next one. Statistic: its range over the median channel's, of the
/// channels that are not negligible; threshold 8 (three bits lost for half of the channels), as
/// long as the median channel has fewer than 32 codes. Ranges
/// are widened to contain 0, as grids are. The id ends in "/weights" where they are meant.
std::vector<Finding> findChannelDominance(const DetectorInput& input);

}  // namespace quantscope
