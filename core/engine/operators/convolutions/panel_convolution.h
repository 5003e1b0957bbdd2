#pragma once

#include <optional>

#include "engine/fusion/element_program.h"
#include "engine/operators/convolutions/winograd_convolution.h"

namespace quantscope {

/// Convolutions as matrix products: the inputs of a window in one row of a channels-last image are
/// one run of memory, so the outputs are a product of overlapping rows with the filters.
class PanelConvolution {
 public:
  explicit PanelConvolution(bool constantWeights);

  /// True for at least a panel of filters and
  /// - where WinogradConvolution::suits;
  /// - long rows: oneDNN's kernels walk along them once per eight channels, and find pixels too far
  ///   apart or channels too few;
  /// - with wide vectors, single places, or few places and many weights: there these products are
  ///   the faster ones.
  static bool suits(const ConvolutionShapes& shapes);

  /// y, channels-last, from x in either layout, all float32. Where WinogradConvolution does not
  /// suit, or a result is not finite, each sum runs over (row, column, channel) of the filter, as
  /// in multiplyPanels; the bias, if any, is added last. `program`, which may be null, is carried
  /// out on y.
  Tensor run(const ConvolutionShapes& shapes, const Tensor& x, const Tensor& weights,
             const Tensor& bias, const ElementProgram* program) const;

 private:
  enum class Method;
  struct Operands;
  static std::optional<Method> methodFor(const ConvolutionShapes& shapes);
  std::shared_ptr<const PanelMatrix> filters(const ConvolutionShapes& shapes,
                                             const Tensor& weights) const;
  static void runFlat(const ConvolutionShapes& shapes, const Operands& operands);
  static void runByRows(const ConvolutionShapes& shapes, std::int64_t image,
                        const Operands& operands);
  static void runWhole(const ConvolutionShapes& shapes, std::int64_t image,
                       const Operands& operands);

  PanelFactor m_panels;
  WinogradConvolution m_winograd;
};

}  // namespace quantscope
