#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Grouped and depthwise convolutions with one scale for all weights although the channels' ranges
/// are orders apart. Statistic: the second widest channel's range over that of the lower quartile,
/// of the channels that are not negligible (single channels are left to findChannelDominance());
/// threshold 16 (four bits lost for a quarter of the channels).
std::vector<Finding> findDepthwiseDisparity(const DetectorInput& input);

}  // namespace quantscope
