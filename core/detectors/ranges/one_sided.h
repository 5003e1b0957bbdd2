#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Values on (nearly) one side of 0 under a symmetric grid, whose other half stays empty: one bit
/// is lost. Statistic: how far the values reach to the lesser side, over how far to the other,
/// 0 … 1; threshold 0.1.
std::vector<Finding> findOneSided(const DetectorInput& input);

}  // namespace quantscope
