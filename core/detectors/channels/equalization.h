#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Measures every layer with constant weights whose input has channels; in PyTorch's mode only Conv
/// and Linear, with channels on axis 1. A grouped convolution repeats the weights' shares from
/// group to group. s_c is NaN where both ranges of a channel are 0 and infinite where only i_c is;
/// there is no s at all where I or W is 0. A channel is recommended where t ≤ s_c ≤ 1/t (what
/// PyTorch's detector does; its description says otherwise), a layer where at least 40 % of its
/// channels are, in our mode not where all of them are balanced already (s_c ≈ 1).
void measureEqualization(const DetectorInput& input, DetectorStatistics& statistics);

/// Layers whose input channels could share their ranges more evenly with the weights: scaling
/// channel c of the input by s_c and its weights by 1/s_c changes nothing in float but evens out
/// both ranges. In our mode only where it helps (Finding::onlyIfItHelps), and also layers of which
/// nothing can be said because I or W is 0.
/// Statistic: the share of channels that are recommended; threshold 0.4.
std::vector<Finding> findUnequalized(const DetectorInput& input);

}  // namespace quantscope
