#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// p_r by channel of the data input of every operator.
/// - PyTorch's mode: of every member of a fused layer the layer's input, along axis 1, and only the
///   upper end. Negative means are made positive, those below 1 inverted; a channel without a
///   counted batch ends as infinite, and a reference of 0 counts as FLT_MAX.
/// - Ours: of the leading operators, along the channels' own axis, the farther of both ends.
/// Batches
///   whose reference or extreme is 0 do not count, and a channel without one is no outlier.
void measureOutliers(const DetectorInput& input, DetectorStatistics& statistics);

/// Layers whose input has channels with a few values far beyond all others, so that the range is
/// spent on them. Statistic: the largest p_r; threshold: that of the configuration. In our mode
/// channels that do not set the range, or that most others reach as far as, count only where
/// clipping them helps (Finding::onlyIfItHelps).
std::vector<Finding> findOutliers(const DetectorInput& input);

}  // namespace quantscope
