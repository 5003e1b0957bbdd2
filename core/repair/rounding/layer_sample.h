#pragma once

#include <vector>

#include "repair/rounding/layer_pass.h"

namespace quantscope {

/// Some of the columns that a layer sees, spread evenly over all samples and positions.
struct LayerSample {
  std::size_t columns = 0;
  std::vector<float> twin;       ///< [groups, columns, inputs]
  std::vector<float> quantized;  ///< likewise; rounded as the layer reads it
};

/// Samples the layer that `pass` has reached; at most `most` columns.
LayerSample sampleColumns(LayerPass& pass, const Engine& engine, const LinearLayer& layer,
                          std::size_t most, const JobContext& job);

/// y [groups, columns, outputs of a group] = x · Wᵀ with x [groups, columns, inputs] and the
/// elements of a weight as they lie in its tensor.
std::vector<float> layerProducts(const LinearLayer& layer, const std::vector<float>& x,
                                 std::size_t columns, const float* weight);

}  // namespace quantscope
