#pragma once

#include <memory>

#include "engine/onednn/primitive_call.h"
#include "engine/operators/convolutions/convolution_shapes.h"

namespace quantscope {

/// oneDNN's two backward passes of a convolution for one set of shapes; u and v are channels-last,
/// all float32.
struct ConvolutionBackward {
  dnnl::memory::desc plainWeights;                 ///< as the operator gets them
  dnnl::memory::desc dataWeights;                  ///< as `data` reads them
  dnnl::memory::desc weightsResult;                ///< as `weights` writes them
  std::unique_ptr<onednn::PrimitiveCall> data;     ///< on dv, weights, du; may be null
  std::unique_ptr<onednn::PrimitiveCall> weights;  ///< on u, dv, dweights; may be null
};

/// A pass that oneDNN lacks, or has as a plain loop only, is null. Throws InsufficientData where
/// memory runs out.
ConvolutionBackward makeConvolutionBackward(const ConvolutionShapes& shapes, const Shape& u);

}  // namespace quantscope
