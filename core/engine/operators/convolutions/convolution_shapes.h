#pragma once

#include <cstdint>
#include <vector>

#include "engine/operators/window.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Everything about one convolution that does not depend on the elements.
struct ConvolutionShapes {
  Window window;
  std::int64_t groups = 1;
  std::int64_t channelsPerGroup = 1;  ///< of the input
  std::int64_t filtersPerGroup = 1;   ///< output channels
  Shape output;                       ///< [N, filters, D1, …]
};

/// Shapes of x [N, C, D1, …] * weights [M, C / groups, k1, …] (+ bias [M] where defined). Throws
/// InvalidParameters where the shapes do not fit each other.
ConvolutionShapes convolutionShapes(const WindowAttributes& attributes, std::int64_t groups,
                                    const Shape& x, const Shape& weights, const Tensor& bias);

/// Shapes of the transposed convolution of x [N, C, D1, …] with weights [C, M / groups, k1, …]; the
/// window slides over the output.
ConvolutionShapes transposedConvolutionShapes(const WindowAttributes& attributes,
                                              std::int64_t groups,
                                              const std::vector<std::int64_t>& outputPadding,
                                              const std::vector<std::int64_t>& outputShape,
                                              const Shape& x, const Shape& weights,
                                              const Tensor& bias);

/// The shape of a convolution's weights.
Shape weightsShape(const ConvolutionShapes& shapes);

/// The attribute `group`. Throws InvalidModel unless it is positive.
std::int64_t readGroups(const Node& node);

}  // namespace quantscope
