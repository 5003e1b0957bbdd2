#pragma once

#include "engine/fusion/product_follow_up.h"
#include "engine/operators/convolutions/convolution_shapes.h"
#include "engine/panel_matrix.h"

namespace quantscope {

/// Convolutions of 3 × 3 filters with less than half of the products; see kernels/network/winograd.
class WinogradConvolution {
 public:
  explicit WinogradConvolution(bool constantWeights);

  /// True where the transforms cost less than they save.
  static bool suits(const ConvolutionShapes& shapes);

  struct Image {
    const float* x;     ///< channels-last
    const float* bias;  ///< null = none
    float* y;           ///< channels-last
    std::size_t first;  ///< place of y's first element among all images
  };

  /// Fills y, and carries out `next` on it, in parts of an item. False where a result is not
  /// finite: then some of y may be wrong.
  bool run(const ConvolutionShapes& shapes, const Image& image, const Tensor& weights,
           const ProductFollowUp& next) const;

 private:
  PanelFactor m_filters;
};

}  // namespace quantscope
