#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Layers at whose output or input many values lie beyond the grid. Statistic: the share of the
/// float values that is clipped, 0 … 1, of an output over the data analysed, of an input over
/// those of calibration; threshold 0.01.
std::vector<Finding> findSaturation(const DetectorInput& input);

}  // namespace quantscope
