#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Input channels of weighted layers that change nothing: their weights are all negligible, or
/// their values never changed although no layer with weights computes them (of those
/// findDeadChannels() speaks). Statistic: the share of the layer's input channels, 0 … 1; threshold
/// 0. No more than worth knowing, unless the dead channels widen the range that the others are
/// rounded to by a factor of 2.
std::vector<Finding> findDeadInputs(const DetectorInput& input);

}  // namespace quantscope
