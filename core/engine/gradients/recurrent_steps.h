#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace quantscope {

/// One direction's weights, or their cotangents: W [G·H, I], R [G·H, H], biases [G·H] or nullptr.
struct RecurrentCellWeights {
  double* input;
  double* recurrent;
  double* inputBias;
  double* recurrentBias;
};

/// Extents of one step of one sample.
struct RecurrentStepExtents {
  std::int64_t inputs;
  std::int64_t hidden;
};

/// One step of a recurrent cell on one sample, forward and backward.
class RecurrentSteps {
 public:
  virtual ~RecurrentSteps() = default;
  virtual std::int64_t gates() const = 0;
  virtual std::vector<std::string> activations() const = 0;
  /// Numbers that backward() needs of a step.
  virtual std::int64_t keptPerStep(std::int64_t hidden) const = 0;

  /// Writes the next `state` and `cell` [H] right behind the given ones in memory.
  virtual void forward(const RecurrentStepExtents& extents, const RecurrentCellWeights& weights,
                       const double* x, double* state, double* cell, double* kept) const = 0;
  /// `dState` and `dCell`: cotangents of the new states, and then of the old ones. Adds to `dx` and
  /// to `dWeights`.
  virtual void backward(const RecurrentStepExtents& extents, const RecurrentCellWeights& weights,
                        const double* x, const double* state, const double* cell,
                        const double* kept, double* dState, double* dCell, double* dx,
                        const RecurrentCellWeights& dWeights) const = 0;
};

std::unique_ptr<RecurrentSteps> makeLstmSteps();
std::unique_ptr<RecurrentSteps> makeGruSteps(bool linearBeforeReset);
std::unique_ptr<RecurrentSteps> makeRnnSteps();

}  // namespace quantscope
