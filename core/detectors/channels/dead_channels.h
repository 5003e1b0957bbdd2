#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Output channels of weighted layers without information: all of their weights are negligible
/// after batch normalization is folded in, or their output had the same value at every place of
/// every calibration sample (at least 64 values are needed to say so). A grouped convolution's are
/// not reported where its input was constant already. Statistic: the share of the layer's channels,
/// 0 … 1; threshold 0. No more than worth knowing, unless the constants widen the range that the
/// other channels are rounded to by a factor of 2.
std::vector<Finding> findDeadChannels(const DetectorInput& input);

}  // namespace quantscope
