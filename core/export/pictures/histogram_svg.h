#pragma once

#include <string>

#include "analysis/analysis_result.h"

namespace quantscope {

/// A layer's output distribution as an SVG element: float as a filled outline, quantized as steps,
/// counts on a logarithmic scale, the range that the grid represents as a band.
/// Empty where the layer has no histogram.
std::string histogramSvg(const LayerResult& layer);

}  // namespace quantscope
