#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Layers whose error comes from a grid much wider than their own values: the backend has a fixed
/// one for the operator or makes it share one with wider values, or it was set by hand. How wide is
/// too wide follows from the error budget: rounding on a grid of the values' own width has the
/// square of the ratio of the error. Statistic: the gain of the layer's own error by such a grid,
/// in dB; threshold 3. Only if its error is bad and its budget is known. Values that use almost
/// nothing of their grid are left to findUnusedRange().
std::vector<Finding> findSharedGrids(const DetectorInput& input);

}  // namespace quantscope
