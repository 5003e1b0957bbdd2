#pragma once

#include <span>

#include "calibration/observers/observation.h"
#include "quant/quant_params.h"

namespace quantscope {

/// The clip range with the least expected squared error Σ(x − x̂)² for the type of `target`, over
/// the log-linear histogram with numbers spread evenly inside a bin, but for the smallest and the
/// largest, which are known. Rounding and clipping are integrated exactly, with the grid that
/// gridFromRange gives each range. Types whose grid does not follow from a range keep the whole
/// one.
Range mseRange(const Observation& observation, const QuantParams& target);

/// The same if the numbers that `observation` summarizes are at hand: a few numbers are counted
/// exactly, and the error of the result is never larger than that of the whole range.
Range mseRange(std::span<const float> numbers, const Observation& observation,
               const QuantParams& target);

}  // namespace quantscope
