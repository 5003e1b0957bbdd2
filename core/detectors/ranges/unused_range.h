#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Layers whose values use only a small part of their grid: its range was set by hand, is shared
/// with wider values, is fixed by the backend, or reaches from far away to 0. Statistic: the share
/// of the representable range that no value ever took, 0 … 1; threshold 0.75 (two bits), as long as
/// fewer than 64 codes are used. Symmetric grids count by magnitude: an empty side is another
/// fault. Values that a Concat widens are left to findRangeMismatch().
std::vector<Finding> findUnusedRange(const DetectorInput& input);

struct ActivationGrid;
/// True where findUnusedRange() counts a grid as hardly used.
bool isHardlyUsed(const DetectorInput& input, const ActivationGrid& grid);

}  // namespace quantscope
