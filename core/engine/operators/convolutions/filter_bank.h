#pragma once

#include "engine/operators/convolutions/convolution_shapes.h"
#include "tensor/tensor.h"

namespace quantscope {

/// True for long filters over a single channel, as in the spectra that audio networks begin with.
bool isFilterBank(const ConvolutionShapes& shapes);

/// Their convolution, each sum with the bits of ONNX Runtime: what follows is the logarithm of a
/// power, and in a silent band that is all rounding, which the logarithm lifts to the size of a
/// signal. x and weights are float32 and Plain, or ChannelsLast (which of one channel is the same);
/// `bias` may be undefined.
///
/// The order is that of MLAS without FMA for one filter, and of its blocked matrix product for
/// more: image columns against filters, in blocks of 128 elements of the filter, more where there
/// are few columns.
Tensor convolveFilterBank(const ConvolutionShapes& shapes, const Tensor& x, const Tensor& weights,
                          const Tensor& bias);

}  // namespace quantscope
