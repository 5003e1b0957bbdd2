#pragma once

#include <vector>

#include "engine/fusion/product_follow_up.h"
#include "engine/operators/convolutions/convolution_shapes.h"
#include "engine/panel_matrix.h"

namespace quantscope {

/// Convolutions of 3 × 3 filters in tiles of 2 × 2 outputs; see kernels/network/winograd.
class WinogradConvolution {
 public:
  explicit WinogradConvolution(bool constantWeights);

  /// True where the transforms cost less than they save.
  static bool suits(const ConvolutionShapes& shapes);

  struct Operands {
    const float* x;  ///< channels-last
    const Tensor& weights;
    const float* bias;  ///< null = none
    float* y;           ///< channels-last
  };

  /// Fills y, and carries out `next` on it, in parts of an item. Returns the images in which a sum
  /// is not finite: all of their outputs have to be computed in another way, `next` included.
  std::vector<std::int64_t> run(const ConvolutionShapes& shapes, const Operands& operands,
                                const ProductFollowUp& next) const;

 private:
  PanelFactor m_filters;
};

}  // namespace quantscope
