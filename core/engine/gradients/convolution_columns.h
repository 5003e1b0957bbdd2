#pragma once

#include "engine/operators/convolutions/convolution_shapes.h"
#include "tensor/tensor.h"

namespace quantscope {

// The two gradients of v = u * weights (see ConvolutionAdjoint) as matrix products with the
// windows' inputs, laid out as rows, for cases in which oneDNN has no fast kernel; all float32.

/// Channels-last, of shape `u`.
Tensor convolutionDataByColumns(const ConvolutionShapes& shapes, const Shape& u, const Tensor& v,
                                const Tensor& weights);
/// Plain, of the weights' shape.
Tensor convolutionWeightsByColumns(const ConvolutionShapes& shapes, const Tensor& u,
                                   const Tensor& v);

}  // namespace quantscope
