#pragma once

#include <vector>

#include "training/network_blocks.h"
#include "training/training_samples.h"
#include "training/training_settings.h"

namespace quantscope {

/// The values that the losses of a network and of its blocks read: the network's outputs, the class
/// scores before those that are probabilities, and the blocks' outputs.
class TrainingLosses {
 public:
  /// Both must outlive it.
  TrainingLosses(const Engine& engine, const std::vector<NetworkBlock>& blocks);

  /// Floats that something computes, each once.
  const std::vector<ValueId>& values() const { return m_values; }
  /// Their places in values().
  std::vector<std::size_t> indicesOf(const std::vector<ValueId>& values) const;

  /// ‖ŷ − y‖² of one of the values, relative to its power.
  LossTerms squaresOf(std::size_t value, double weight, const TrainingSamples& samples) const;
  /// τ²·KL of class scores and the NMSE of outputs, plus that of the blocks' outputs.
  std::vector<LossTerms> networkTerms(const TrainingSamples& samples,
                                      const TrainingSettings& settings) const;

 private:
  std::vector<ValueId> findValues() const;
  bool isOutput(ValueId value) const;
  bool isBlockEnd(ValueId value) const;
  ValueId scoresOf(ValueId output) const;
  void addScores(ValueId output, bool isFirst, const TrainingSamples& samples,
                 const TrainingSettings& settings, std::vector<LossTerms>& terms) const;

  const Engine& m_engine;
  const std::vector<NetworkBlock>& m_blocks;
  std::vector<ValueId> m_values;
};

}  // namespace quantscope
