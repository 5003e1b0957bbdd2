#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/operators/recurrence/recurrent_activation.h"

namespace quantscope {

/// One step of one direction, all samples of the batch. Matrices have one row per sample.
struct RecurrentStep {
  std::int64_t samples;
  std::int64_t hidden;
  std::int64_t rows;  ///< samples, but at least 2: single rows cost more (see onednn::multiply)
  /// Per sample: gates × hidden sums of inputs and biases; the cell may overwrite them.
  std::span<float* const> inputs;
  const float* recurrentWeights;         ///< [hidden, gates × hidden]
  std::span<const float> recurrentBias;  ///< gates × hidden; empty = none
  std::span<const float> peepholes;      ///< 3 × hidden; empty = none
  float* state;                          ///< [rows, hidden]: the last outputs, becomes the new ones
  float* cellState;                      ///< [rows, hidden]: LSTM's, likewise
  float* products;  ///< [rows, gates × hidden]: room for products with `state`
  float* scratch;   ///< [rows, hidden]
};

/// The part in which GRU, LSTM and RNN differ.
class RecurrentCell {
 public:
  virtual ~RecurrentCell() = default;
  virtual std::int64_t gates() const = 0;
  virtual bool hasCellState() const { return false; }
  /// Names of the activations of one direction where the node gives none.
  virtual std::vector<std::string> defaultActivations() const = 0;
  /// Gates, counted from the last, whose recurrent bias the cell adds itself.
  virtual std::int64_t ownBiasGates() const { return 0; }
  /// Computes the new states of all samples.
  virtual void step(const RecurrentStep& step,
                    std::span<const RecurrentActivation> activations) const = 0;
};

/// Clamps to ±threshold what enters an activation; does nothing without the attribute `clip`.
class RecurrentClip {
 public:
  explicit RecurrentClip(const Node& node);
  void apply(std::span<float> x) const;

 private:
  std::optional<float> m_threshold;
};

}  // namespace quantscope
