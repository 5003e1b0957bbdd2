#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// The largest part of a layer's error, by its error budget, for every layer that is bad and for
/// the worst ones of the network (layersToExplain()). Statistic: that part's share of the sum, 0 …
/// 1; threshold 0. Layers in bodies of other operators have no budget: their whole error stands for
/// its parts, and float for what acts on them. mergeFindings() drops those that another finding
/// already explains.
std::vector<Finding> findDominantParts(const DetectorInput& input);

}  // namespace quantscope
