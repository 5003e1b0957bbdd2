#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Linear grids in front of functions that are steep near 0: logarithms, roots, powers below 1,
/// divisors. Statistic: the share, 0 … 1, of the values on the grid, exact zeros not counted, that
/// lie within 4 steps of 0, where rounding changes them by more than an eighth; threshold 0.1.
/// Between the grid and the function may be elementwise operators with constants. Only where the
/// function's result is bad in the quantized network.
std::vector<Finding> findSteepFunctions(const DetectorInput& input);

}  // namespace quantscope
