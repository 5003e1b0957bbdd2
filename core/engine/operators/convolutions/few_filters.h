#pragma once

#include "engine/operators/convolutions/convolution_shapes.h"
#include "tensor/tensor.h"

namespace quantscope {

/// True for up to eight filters of several taps that move along long lines of an image by single
/// steps, in one group: oneDNN's kernels fill their vectors with filters, and there are too few.
bool hasFewFilters(const ConvolutionShapes& shapes);

/// y = x * weights + bias for such shapes, channels-last; x float32 in either layout. The products
/// of one output are added in the order of (row of the filter, channel, column), each with a single
/// rounding; the bits do not depend on the layout. Pads are zeros that meet the weights like
/// others.
Tensor convolveFewFilters(const ConvolutionShapes& shapes, const Tensor& x, const Tensor& weights,
                          const Tensor& bias);

}  // namespace quantscope
