#pragma once

#include "engine/operators/convolutions/convolution_shapes.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Convolution and transposed convolution in double by their definition, for models that compute
/// in float64. All tensors Plain; `bias` may be undefined.
Tensor convolveDouble(const ConvolutionShapes& shapes, bool transposed, const Tensor& x,
                      const Tensor& weights, const Tensor& bias);

}  // namespace quantscope
