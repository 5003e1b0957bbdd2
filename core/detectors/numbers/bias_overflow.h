#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Layers whose bias does not fit its int32 grid of step s_input · s_weight[channel]; under rules
/// that keep it float, or fit the scales of weights, there are none. Statistic: the largest |b| /
/// step over 2^31; threshold 1. Severity by the loss: critical from a hundredth of the output's
/// observed range, info below one step of the output.
std::vector<Finding> findBiasOverflow(const DetectorInput& input);

}  // namespace quantscope
