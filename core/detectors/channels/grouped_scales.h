#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Grouped transposed convolutions whose weights are quantized per channel in name only: a scale
/// holds for the channel with its index in every group. Statistic: the widest over the narrowest of
/// the output channels that share a scale, the most uneven scale counting; threshold 4 (two bits
/// lost), or 1 where there is one scale in all. More severe where weights dominate a bad error.
std::vector<Finding> findGroupedScales(const DetectorInput& input);

}  // namespace quantscope
