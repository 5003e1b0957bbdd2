#pragma once

#include "engine/matrix_product.h"
#include "engine/operators/convolutions/convolution_shapes.h"
#include "engine/recent_cache.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Transposed convolutions that stride over an image, as one matrix product per row: the products
/// of pixels and taps are added up where taps overlap. oneDNN has no kernel for strides.
class TransposedProduct {
 public:
  explicit TransposedProduct(bool constantWeights);

  /// True for two axes, one group, and windows of several taps that move by more than one step.
  static bool suits(const ConvolutionShapes& shapes);

  /// y = the transposed convolution for such shapes, channels-last; x float32, channels-last. The
  /// products of one output are added to the bias in the order of (row of x, row of the filter,
  /// column of x, column of the filter).
  Tensor run(const ConvolutionShapes& shapes, const Tensor& x, const Tensor& weights,
             const Tensor& bias) const;

 private:
  struct Turned {
    Tensor source;
    Tensor byTap;  ///< [channels, taps · filters]
  };
  Tensor turned(const ConvolutionShapes& shapes, const Tensor& weights) const;

  RecentCache<Turned> m_turned;
  MatrixProduct m_product;
};

}  // namespace quantscope
