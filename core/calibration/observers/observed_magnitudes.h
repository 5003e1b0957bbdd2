#pragma once

#include "calibration/histograms/log_linear_histogram.h"
#include "quant/quant_params.h"

namespace quantscope {

/// The grid of a ternary or binary type by the rules of kernels/codes/magnitude_grid.h, for numbers
/// that are known by their histogram: spread evenly inside a bin, which ends where `range`, their
/// smallest and largest, does. So the scale is within 1/64 of the one from the numbers themselves,
/// and exact where all are equal.
/// Throws InvalidParameters for another type.
Grid magnitudeGrid(QuantType type, const LogLinearHistogram& histogram, const Range& range);

}  // namespace quantscope
