#pragma once

#include <Eigen/Core>

#include "base/job_context.h"

namespace quantscope {

/// The codes that one group of a layer's weights may have: real = (code − zero) · scale. Matrices
/// are [inputs, outputs], a column per output channel.
struct WeightCodes {
  Eigen::MatrixXd scale;
  Eigen::MatrixXd zero;
  double lowest = 0;
  double highest = 0;

  double code(double weight, Eigen::Index input, Eigen::Index output) const;
  double real(double code, Eigen::Index input, Eigen::Index output) const {
    return (code - zero(input, output)) * scale(input, output);
  }
};

/// δᵀHδ with δ = ŵ − w for every output channel: the power of the error of its outputs.
Eigen::VectorXd roundingLoss(const Eigen::MatrixXd& codes, const Eigen::MatrixXd& weights,
                             const WeightCodes& grid, const Eigen::MatrixXd& gram);

/// Each weight to the nearest code, ties to even.
Eigen::MatrixXd nearestCodes(const Eigen::MatrixXd& weights, const WeightCodes& grid);

/// GPTQ: inputs one by one, largest H_jj first; later ones compensate the error of earlier ones, e
/// = (w_j − ŵ_j)/U_jj, w −= e·U_j with U the upper Cholesky factor of H⁻¹. `gram` is positive
/// definite. Σe² over a column is its rounding loss where nothing is clipped.
Eigen::MatrixXd gptqCodes(const Eigen::MatrixXd& weights, const WeightCodes& grid,
                          const Eigen::MatrixXd& gram, const JobContext& job);

/// Coordinate descent from `codes`: each weight in turn to the code that is best beside all others,
/// q_i ← rne of w_i − Σ_{j≠i} H_ij·δ_j/H_ii, until nothing changes. Never raises a loss.
void descend(Eigen::MatrixXd& codes, const Eigen::MatrixXd& weights, const WeightCodes& grid,
             const Eigen::MatrixXd& gram, const JobContext& job);

/// The best codes of GPTQ and descent, per output channel: never above those nearest to `weights`
/// or to `nearTo`. Bit-identical for any number of threads.
Eigen::MatrixXd roundInGram(const Eigen::MatrixXd& weights, const Eigen::MatrixXd& nearTo,
                            const WeightCodes& grid, const Eigen::MatrixXd& gram,
                            const JobContext& job);

}  // namespace quantscope
