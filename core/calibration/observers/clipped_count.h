#pragma once

#include "calibration/observers/observation.h"
#include "quant/quant_params.h"

namespace quantscope {

/// About how many of the observed numbers lie so far beyond the grid that they are clipped, not
/// rounded: outside of QuantParams::unclipped. From the log-linear
/// histogram, numbers spread evenly inside a bin, and so exact where it is 0 or all.
/// 0 for types without a scale (see Observation::float16Overflows) and with one level per sign.
double clippedCount(const Observation& observation, const QuantParams& params, const Grid& grid);

}  // namespace quantscope
