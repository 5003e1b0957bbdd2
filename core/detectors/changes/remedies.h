#pragma once

#include "analysis/sensitivity/layer_part.h"
#include "detectors/detector.h"

namespace quantscope {

/// The first change that acts on one part of a layer's error and that the backend runs. Weights: a
/// scale per channel, the next wider type, float. Grids: a range that follows the data where one
/// was set by hand, 16 bits, float. Clipping: likewise, or the observer of the smallest and the
/// largest value. Bias: scales that it fits, float. `index`: of a quantized layer of the model.
Suggestion remedyFor(const DetectorInput& input, std::size_t index, LayerPart part);

}  // namespace quantscope
