#pragma once

#include "engine/operators/convolutions/convolution_shapes.h"

namespace quantscope {

/// The weights of the filters of a panel side by side: [channel · taps + tap, kPanelColumns], with
/// zeros for missing filters. `weights` are [filter, channel, row, column], float32, of one group.
void gatherFilters(const ConvolutionShapes& shapes, const Tensor& weights, std::size_t panel,
                   float* to);

/// Writes the panels of the matrix [row · column · channel, filter], in parts of an item.
void packFilters(const ConvolutionShapes& shapes, const Tensor& weights, float* panels);

}  // namespace quantscope
