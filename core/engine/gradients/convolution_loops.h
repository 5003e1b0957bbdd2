#pragma once

#include "engine/operators/convolutions/convolution_shapes.h"
#include "tensor/tensor.h"

namespace quantscope {

// The three readings of v = u * weights by their definition (see ConvolutionAdjoint), plain, for
// float64. All real numbers are float64.

Tensor convolutionByLoops(const ConvolutionShapes& shapes, const Shape& u, const Tensor& uValues,
                          const Tensor& weights);
Tensor convolutionDataByLoops(const ConvolutionShapes& shapes, const Shape& u, const Tensor& v,
                              const Tensor& weights);
Tensor convolutionWeightsByLoops(const ConvolutionShapes& shapes, const Tensor& u, const Tensor& v);

}  // namespace quantscope
