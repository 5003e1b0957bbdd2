#pragma once

#include "engine/operators/convolutions/convolution_shapes.h"

namespace quantscope {

/// Filters [filter, channel, row, column], float32, as a matrix [row · column · channel, filter].
Tensor filtersByRow(const ConvolutionShapes& shapes, const Tensor& weights);

}  // namespace quantscope
