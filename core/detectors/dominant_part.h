#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// What makes the largest part of a layer's error, by its error budget: of every layer that is bad,
/// and of the worst ones of the network (layersToExplain()). Statistic: that part's share of all,
/// 0 … 1; threshold 0. mergeFindings() leaves of these what no other finding names.
std::vector<Finding> findDominantParts(const DetectorInput& input);

}  // namespace quantscope
