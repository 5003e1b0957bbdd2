#pragma once

#include "engine/operators/convolutions/convolution_shapes.h"
#include "engine/panel_matrix.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The convolution of long filters over a single channel, as in spectra at the start of audio
/// networks, each sum with the bits of ONNX Runtime: a logarithm of the power follows, which lifts
/// the rounding in a silent band to the size of a signal.
///
/// The order is that of MLAS without FMA for one filter, and of its blocked matrix product for
/// more: image columns against filters, in blocks of 128 elements of the filter, more where there
/// are few columns.
class FilterBank {
 public:
  explicit FilterBank(bool constantWeights);

  static bool suits(const ConvolutionShapes& shapes);

  /// x and weights are float32 and Plain, or ChannelsLast (which of one channel is the same);
  /// `bias` may be undefined.
  Tensor run(const ConvolutionShapes& shapes, const Tensor& x, const Tensor& weights,
             const Tensor& bias) const;

 private:
  void runByFilters(const ConvolutionShapes& shapes, const float* x, const Tensor& weights,
                    const Tensor& bias, float* y) const;
  static void runByPositions(const ConvolutionShapes& shapes, const float* x, const Tensor& weights,
                             const Tensor& bias, float* y);

  PanelFactor m_panels;
};

}  // namespace quantscope
