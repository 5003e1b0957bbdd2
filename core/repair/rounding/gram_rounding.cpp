// Rounding that uses the statistics of a layer's inputs. The error of an output channel with
// weights w and rounded ones ŵ is E[((ŵ − w)ᵀx)²] = δᵀHδ with H = E[x·xᵀ], so that the errors of
// correlated inputs can cancel. GPTQ (Frantar 2022, Algorithm 1) finds a good start in one sweep,
// coordinate descent goes on from there.

#include "repair/rounding/gram_rounding.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/workers.h"

namespace quantscope {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Output channels that are worked on together.
constexpr Index kBlock = 16;
constexpr int kMostRounds = 30;

template <class Body>
void forEachBlock(Index outputs, const JobContext& job, const Body& body) {
  const auto blocks = static_cast<std::size_t>((outputs + kBlock - 1) / kBlock);
  job.workers().forEach(blocks, [&](std::size_t block) {
    job.throwIfCancelled();
    const Index first = static_cast<Index>(block) * kBlock;
    body(first, std::min(kBlock, outputs - first));
  });
}

std::vector<Index> byFallingDiagonal(const MatrixXd& gram) {
  std::vector<Index> order(static_cast<std::size_t>(gram.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](Index i) { return gram(i, i); });
  return order;
}

// The upper Cholesky factor of the inverse of the reordered matrix.
MatrixXd inverseFactor(const MatrixXd& gram, const std::vector<Index>& order) {
  const Index size = gram.rows();
  MatrixXd ordered(size, size);
  for (Index j = 0; j < size; ++j) {
    for (Index i = 0; i < size; ++i) {
      ordered(i, j) = gram(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
    }
  }
  const MatrixXd inverse = ordered.llt().solve(MatrixXd::Identity(size, size));
  return inverse.llt().matrixU();
}

}  // namespace

double WeightCodes::code(double weight, Index input, Index output) const {
  const double code = std::nearbyint(weight / scale(input, output)) + zero(input, output);
  return std::clamp(code, lowest, highest);
}

MatrixXd nearestCodes(const MatrixXd& weights, const WeightCodes& grid) {
  MatrixXd codes(weights.rows(), weights.cols());
  for (Index output = 0; output < weights.cols(); ++output) {
    for (Index input = 0; input < weights.rows(); ++input) {
      codes(input, output) = grid.code(weights(input, output), input, output);
    }
  }
  return codes;
}

VectorXd roundingLoss(const MatrixXd& codes, const MatrixXd& weights, const WeightCodes& grid,
                      const MatrixXd& gram) {
  const MatrixXd error = (codes - grid.zero).cwiseProduct(grid.scale) - weights;
  return error.cwiseProduct(gram * error).colwise().sum().transpose();
}

MatrixXd gptqCodes(const MatrixXd& weights, const WeightCodes& grid, const MatrixXd& gram,
                   const JobContext& job) {
  const Index inputs = weights.rows();
  const std::vector<Index> order = byFallingDiagonal(gram);
  const MatrixXd factor = inverseFactor(gram, order);
  MatrixXd codes(inputs, weights.cols());
  forEachBlock(weights.cols(), job, [&](Index first, Index count) {
    // A row per output channel, so that a step updates whole columns.
    MatrixXd rest(count, inputs);
    for (Index j = 0; j < inputs; ++j) {
      rest.col(j) =
          weights.row(order[static_cast<std::size_t>(j)]).segment(first, count).transpose();
    }
    VectorXd error(count);
    for (Index j = 0; j < inputs; ++j) {
      const Index input = order[static_cast<std::size_t>(j)];
      for (Index row = 0; row < count; ++row) {
        const double code = grid.code(rest(row, j), input, first + row);
        codes(input, first + row) = code;
        error(row) = (rest(row, j) - grid.real(code, input, first + row)) / factor(j, j);
      }
      const Index later = inputs - j - 1;
      if (later > 0) {
        rest.rightCols(later).noalias() -= error * factor.row(j).tail(later);
      }
    }
  });
  return codes;
}

void descend(MatrixXd& codes, const MatrixXd& weights, const WeightCodes& grid,
             const MatrixXd& gram, const JobContext& job) {
  const Index inputs = weights.rows();
  forEachBlock(weights.cols(), job, [&](Index first, Index count) {
    for (Index output = first; output < first + count; ++output) {
      VectorXd rounded(inputs);
      for (Index i = 0; i < inputs; ++i) rounded(i) = grid.real(codes(i, output), i, output);
      // H·δ, kept up to date.
      VectorXd slope = gram * (rounded - weights.col(output));
      bool moved = true;
      for (int sweep = 0; sweep < kMostRounds && moved; ++sweep) {
        moved = false;
        for (Index i = 0; i < inputs; ++i) {
          const double wanted = rounded(i) - slope(i) / gram(i, i);
          const double code = grid.code(wanted, i, output);
          if (code == codes(i, output)) continue;
          const double real = grid.real(code, i, output);
          const double step = real - rounded(i);
          // Ties, and what rounding makes of them, would go round in circles.
          if (!(step * (2 * slope(i) + gram(i, i) * step) < -1e-12 * gram(i, i) * step * step)) {
            continue;
          }
          slope.noalias() += step * gram.col(i);
          rounded(i) = real;
          codes(i, output) = code;
          moved = true;
        }
      }
    }
  });
}

MatrixXd roundInGram(const MatrixXd& weights, const MatrixXd& nearTo, const WeightCodes& grid,
                     const MatrixXd& gram, const JobContext& job) {
  MatrixXd best = nearestCodes(nearTo, grid);
  descend(best, weights, grid, gram, job);
  VectorXd loss = roundingLoss(best, weights, grid, gram);
  for (MatrixXd codes : {nearestCodes(weights, grid), gptqCodes(weights, grid, gram, job)}) {
    descend(codes, weights, grid, gram, job);
    const VectorXd other = roundingLoss(codes, weights, grid, gram);
    for (Index output = 0; output < weights.cols(); ++output) {
      if (other(output) >= loss(output)) continue;
      loss(output) = other(output);
      best.col(output) = codes.col(output);
    }
  }
  return best;
}

}  // namespace quantscope
