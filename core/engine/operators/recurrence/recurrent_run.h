#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/operators/recurrence/recurrent_cell.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The extents of one run of a recurrent node.
struct RecurrentExtents {
  std::int64_t steps, samples, inputs, hidden, gates, directions;
  bool batchFirst;                    ///< samples before steps in all tensors
  std::vector<std::int64_t> lengths;  ///< per sample; empty = all steps

  std::int64_t sums() const { return gates * hidden; }
  std::int64_t rows() const { return samples < 2 ? 2 : samples; }
  std::int64_t length(std::int64_t sample) const {
    return lengths.empty() ? steps : lengths[static_cast<std::size_t>(sample)];
  }
  /// Row of X [T, B, I] or [B, T, I].
  std::int64_t inputRow(std::int64_t step, std::int64_t sample) const {
    return batchFirst ? sample * steps + step : step * samples + sample;
  }
  /// Row of Y [T, D, B, H] or [B, T, D, H].
  std::int64_t outputRow(std::int64_t direction, std::int64_t step, std::int64_t sample) const {
    return batchFirst ? (sample * steps + step) * directions + direction
                      : (step * directions + direction) * samples + sample;
  }
  /// Row of a state [D, B, H] or [B, D, H].
  std::int64_t stateRow(std::int64_t direction, std::int64_t sample) const {
    return batchFirst ? sample * directions + direction : direction * samples + sample;
  }
  Shape outputShape() const;
  Shape stateShape() const;
};

/// The states of all samples while one direction is run.
class RecurrentStates {
 public:
  /// Starts with `initial`, of the state shape, or with zeros where it is undefined.
  RecurrentStates(const RecurrentExtents& extents, std::int64_t direction, const Tensor& initial);

  float* data() { return m_states.data(); }
  std::span<const float> of(std::int64_t sample) const;

  /// Remembers all states, so that keepFor() can undo a step for single samples.
  void hold() { m_held = m_states; }
  void keepFor(std::int64_t sample);

  /// Writes the states to a tensor of the state shape.
  void store(Tensor& target) const;

 private:
  const RecurrentExtents& m_extents;
  std::int64_t m_direction;
  std::vector<float> m_states;  // [rows, hidden]
  std::vector<float> m_held;
};

/// The data of one direction.
struct RecurrentDirection {
  std::int64_t index;
  bool backwards;
  float* sums;                    ///< [T, B, G·H] or [B, T, G·H]; overwritten
  const float* recurrentWeights;  ///< [H, G·H]
  std::span<const float> recurrentBias;
  std::span<const float> peepholes;
  std::span<const RecurrentActivation> activations;
};

/// Runs a cell over all steps of a direction; writes the outputs of each step to `y`, zeros
/// behind the end of a sample's sequence, and leaves the last states in `states` and `cellStates`.
void runDirection(const RecurrentCell& cell, const RecurrentExtents& extents,
                  const RecurrentDirection& direction, RecurrentStates& states,
                  RecurrentStates& cellStates, Tensor& y);

}  // namespace quantscope
