#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Layers whose error comes from a grid much wider than their own values: the backend has a fixed
/// one for the operator or makes it share one with wider values, or it was set by hand. How wide is
/// too wide follows from the error budget: rounding on a grid of the values' own width has the
/// square of the ratio of the error. Statistic: what the layer itself would win by that, in dB;
/// threshold 3. Only where its error is bad, and known in parts. What uses next to nothing of its
/// grid is left to findUnusedRange().
std::vector<Finding> findSharedGrids(const DetectorInput& input);

}  // namespace quantscope
