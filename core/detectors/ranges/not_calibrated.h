#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Layers that should be quantized but stay in float, because
/// calibration has seen no number to take a range from. A branch or
/// body that no sample entered is one finding, at the first of its
/// layers. Statistic: how many layers stay float; threshold 0. A
/// warning.
std::vector<Finding> findNotCalibrated(const DetectorInput& input);

}  // namespace quantscope
