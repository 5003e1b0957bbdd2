#pragma once

#include "engine/fusion/element_program.h"
#include "engine/operators/convolutions/convolution_shapes.h"
#include "engine/panel_matrix.h"

namespace quantscope {

/// Convolutions with long rows as matrix products: the inputs of a window in one row of a
/// channels-last image are one run of memory, so each row of outputs is a product of overlapping
/// rows with the filters.
class PanelConvolution {
 public:
  explicit PanelConvolution(bool constantWeights);

  /// True where oneDNN's kernels, which walk a row of the image once per eight channels, find its
  /// pixels too far apart for the first cache level, or have too few channels.
  static bool suits(const ConvolutionShapes& shapes);

  /// y, channels-last, from x in either layout, all float32. Each sum runs over (row, column,
  /// channel) of the filter, as in multiplyPanels; the bias, if any, is added last. `next`, which
  /// may be null, is carried out on y.
  Tensor run(const ConvolutionShapes& shapes, const Tensor& x, const Tensor& weights,
             const Tensor& bias, const ElementProgram* next) const;

 private:
  PanelFactor m_panels;
};

}  // namespace quantscope
