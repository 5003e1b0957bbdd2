#pragma once

#include <optional>
#include <vector>

#include "engine/operators/convolutions/convolution_shapes.h"
#include "engine/operators/window_walker.h"
#include "repair/linear_layers.h"

namespace quantscope {

/// The columns x[·, p] that the outputs of a linear layer see in one tensor that it reads.
class LayerColumns {
 public:
  /// `layer` must outlive it. Of a transposed convolution the columns are those of the convolution
  /// of stride 1 that computes the same on inputs with zeros between. Throws InvalidParameters
  /// where a window does not fit.
  LayerColumns(const Engine& engine, const LinearLayer& layer, const Tensor& data);
  LayerColumns(const LayerColumns&) = delete;
  LayerColumns& operator=(const LayerColumns&) = delete;

  /// Columns of each group.
  std::size_t positions() const { return m_positions; }
  /// Copies the inputs of all groups at `position`: those of group g to columns + g·stride
  /// [inputs]. Pads are zeros.
  void copy(std::size_t position, float* columns, std::size_t stride);
  /// The sum of the columns of all positions, in double: group after group [groups · inputs].
  std::vector<double> sums() const;

 private:
  void spread(const Engine& engine);

  const LinearLayer& m_layer;
  Tensor m_data;
  Window m_window;
  std::optional<WindowWalker> m_walker;  // of a convolution
  std::size_t m_positions = 0;
};

}  // namespace quantscope
