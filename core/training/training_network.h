#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "calibration/sample_source.h"
#include "engine/gradients/reverse_pass.h"
#include "training/distillation_loss.h"
#include "training/learned_parameters.h"
#include "training/training_graph.h"

namespace quantscope {

class Execution;

/// A feed with what its outputs are to be.
struct TrainingSample {
  std::vector<std::pair<ValueId, Tensor>> inputs;  ///< of the network, or of the block
  std::vector<Tensor> targets;                     ///< by LossTerms
  std::vector<std::int64_t> labels;                ///< by sample of the feed; negative = none
  FeedExtent extent;
  std::uint64_t number = 0;  ///< of the first sample: the key of its noise
};

/// Random rounding of a step; see RoundingNoise.
struct StepNoise {
  std::uint64_t key = 0;  ///< of the seed and the step
  float temperature = 1;
};

/// The results of a batch.
struct BatchGradients {
  double loss = 0;                             ///< mean over samples
  std::vector<std::vector<double>> gradients;  ///< by array of the parameters; empty = zero
};

/// A network, or a block of one, with a loss at some of its values, that runs forwards and back for
/// the parameters that it learns. Bits do not depend on the number of threads.
class TrainingNetwork {
 public:
  /// All references must outlive it. `terms`: one per value.
  TrainingNetwork(const RepairState& state, const LinearLayers& layers, const NetworkBlock* block,
                  const TrainingGraphOptions& options, std::vector<LossTerms> terms,
                  const LearnedParameters& parameters, const Workers& workers);

  const std::vector<LossTerms>& terms() const { return m_terms; }
  std::vector<LossTerms>& terms() { return m_terms; }
  const TrainingGraph& graph() const { return m_graph; }
  /// True where anything that is free has a gradient; else `whyNot` names the operator that has
  /// none.
  bool trains() const { return m_trains; }
  const std::string& whyNot() const { return m_whyNot; }

  /// Forwards once and back, for each sample. Throws Cancelled, and Error with the node's name.
  BatchGradients backward(std::span<const TrainingSample* const> batch, const StepNoise* noise,
                          JobContext& job) const;
  /// The mean loss, rounded to the nearest. Runs no gradient.
  double loss(std::span<const TrainingSample* const> samples, JobContext& job) const;
  /// A value of the network for each sample, rounded to the nearest.
  std::vector<Tensor> values(ValueId value, std::span<const TrainingSample* const> samples,
                             JobContext& job) const;

 private:
  using RunSink = std::function<void(std::size_t sample, Execution& run)>;
  /// Runs the samples in parallel with the parameters as they are, rounded to nearest.
  void forEachRun(std::span<const TrainingSample* const> samples, JobContext& job,
                  const RunSink& take) const;

  class Listener;

  std::vector<ReverseSource> sources() const;
  RoundingNoise weightNoise(const StepNoise& noise) const;

  const LearnedParameters& m_parameters;
  std::vector<LossTerms> m_terms;
  TrainingGraph m_graph;                     // graph that gradients go through
  std::unique_ptr<TrainingGraph> m_nearest;  // where that one rounds at random
  std::vector<ValueId> m_sources;            // parameters that are learned
  std::unique_ptr<ReversePass> m_pass;
  std::unique_ptr<Plan> m_forward;  // of the one that rounds to the nearest
  bool m_trains = false;
  std::string m_whyNot;
};

}  // namespace quantscope
