#pragma once

#include <Eigen/Core>
#include <vector>

#include "repair/rounding/layer_pass.h"

namespace quantscope {

/// Moments of the inputs of one group of a linear layer: x in the float twin, x̂ in the quantized
/// model, over the columns of all samples, or over every n-th if there are very many.
struct GroupMoments {
  double columns = 0;
  double positions = 0;           ///< of which these are a part
  Eigen::VectorXd twinMean;       ///< E[x]
  Eigen::VectorXd quantizedMean;  ///< E[x̂]
  /// E[x̂·x̂ᵀ] and E[x·x̂ᵀ]; empty where only the means were asked for.
  Eigen::MatrixXd gram;
  Eigen::MatrixXd cross;
};

enum class Moments { Means, Products };

/// Products of more inputs would take too much memory.
inline constexpr std::size_t kMostProductInputs = 5000;

/// The moments of every group of the layer that `pass` has reached. Sums in double over fixed
/// chunks, merged in the order of the samples: bit-identical for any number of threads.
std::vector<GroupMoments> measureMoments(LayerPass& pass, const Engine& engine,
                                         const LinearLayer& layer, Moments which,
                                         const JobContext& job);

}  // namespace quantscope
