#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Measures every layer with constant weights; in PyTorch's mode only Conv and Linear. S is in (0,
/// 1]; 1: every batch looks alike. Dynamic is recommended where the output's is not above the
/// tolerance.
void measureDynamicStatic(const DetectorInput& input, DetectorStatistics& statistics);

/// Layers around which ranges differ so much from batch to batch that one range for all wastes most
/// codes of the narrow ones; with a stationary output but a non-stationary input, that the input
/// should be quantized dynamically. And dynamic layers that are stationary before and after: static
/// would do. Statistic: S, the lower one; threshold: the tolerance.
std::vector<Finding> findNonStationary(const DetectorInput& input);

}  // namespace quantscope
