#pragma once

#include <span>

#include "quant/quant_params.h"

namespace quantscope {

/// The share of the mean magnitude below which ternary codes are 0 (Li and Liu, "Ternary Weight
/// Networks", 2016).
inline constexpr double kTernaryThreshold = 0.7;

/// kTernaryThreshold · meanMagnitude as a float that the same floats exceed.
float ternaryThreshold(double meanMagnitude);

/// The grid of a ternary or binary type for data that are known:
///
/// - ternary: threshold = 0.7 · mean|x|, scale = mean of |x| over |x| > threshold;
/// - binary: scale = mean|x| (Rastegari and others, "XNOR-Net", 2016).
///
/// Over the finite elements; denormals count as 0. Without any, or where all are 0, the scale is 0.
/// Throws InvalidParameters for another type.
Grid magnitudeGrid(QuantType type, std::span<const float> values);

}  // namespace quantscope
