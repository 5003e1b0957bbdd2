#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Measures every layer with constant weights; in PyTorch's mode only Conv and Linear, which the
/// backends that ModelReport knows support; other backends are queried. A scale per group counts as
/// one per channel.
void measurePerChannel(const DetectorInput& input, DetectorStatistics& statistics);

/// Layers whose weights share one scale although the backend could give each output channel its
/// own. Statistic: the widest channel's range over the narrowest one's, ranges widened to contain
/// 0, of the channels that are not negligible; threshold 1.
std::vector<Finding> findPerTensorWeights(const DetectorInput& input);

}  // namespace quantscope
