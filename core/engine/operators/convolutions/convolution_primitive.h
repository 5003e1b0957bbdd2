#pragma once

#include <optional>

#include "engine/onednn/primitive_call.h"
#include "engine/operators/convolutions/convolution_shapes.h"

namespace quantscope {

/// A window as oneDNN wants it.
struct WindowDims {
  explicit WindowDims(const Window& window);

  dnnl::memory::dims strides, gaps, padsBegin, padsEnd;  ///< gap = dilation − 1
};

/// oneDNN's convolution for one set of shapes; x and y are channels-last, all float32.
struct ConvolutionPrimitive {
  dnnl::memory::desc plainWeights;              ///< as the operator gets them
  dnnl::memory::desc packedWeights;             ///< as the primitive wants them
  std::unique_ptr<onednn::PrimitiveCall> call;  ///< on x, weights, y and, where biased, bias
  /// oneDNN has only its plain loops for it, which take a hundred times as long as a kernel.
  bool isReference = false;
};

/// The primitive for x of shape `x`; `transposed` says which of the two functions made `shapes`.
/// The weights' order is `packedWeights` if one is given, else the one that oneDNN prefers. nullopt
/// if oneDNN lacks it: more than three spatial axes, or padding that reaches further than a stride
/// beyond the last window. Throws InsufficientData where memory runs out.
std::optional<ConvolutionPrimitive> makeConvolutionPrimitive(
    const ConvolutionShapes& shapes, const Shape& x, bool biased, bool transposed,
    const dnnl::memory::desc* packedWeights = nullptr);

}  // namespace quantscope
