#pragma once

#include "calibration/observation.h"
#include "quant/quant_params.h"

namespace quantscope {

/// The clip range with the least expected squared error Σ(x − x̂)² for the type of `target`, over
/// the log-linear histogram with numbers spread evenly inside a bin. Rounding and clipping are
/// integrated exactly, with the grid that gridFromRange gives each range.
/// Types whose grid does not follow from a range keep the whole one.
Range mseRange(const Observation& observation, const QuantParams& target);

}  // namespace quantscope
