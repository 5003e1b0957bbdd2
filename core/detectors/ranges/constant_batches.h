#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Values, as layers read them, of which a channel was the same number throughout a batch;
/// ModelReport counts such batches with its outliers. Once per value, at the first layer that reads
/// it. In our mode only of values with more than one element per channel and batch, and of channels
/// that are not constant over all batches (those are dead channels). Statistic: the most such
/// batches of a channel, as a share of all, 0 … 1; threshold 0.
std::vector<Finding> findConstantBatches(const DetectorInput& input);

}  // namespace quantscope
