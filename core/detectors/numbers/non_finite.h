#pragma once

#include "detectors/detector.h"

namespace quantscope {

/// Where NaN or ±Inf first come up inside the network, and where a half type makes some.
///
/// A layer is at fault where one of its values holds some in the float run although nothing that
/// goes into it does. Statistic: their share of that value's elements; threshold 0. Critical where
/// they go on to an output of the network, else a warning (masks of attention are such).
///
/// An fp16 value of which a number from 65520 on was observed becomes ±Inf there. Statistic: the
/// largest magnitude; threshold 65504. Critical.
std::vector<Finding> findNonFinite(const DetectorInput& input);

}  // namespace quantscope
