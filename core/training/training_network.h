#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "calibration/sample_source.h"
#include "engine/gradients/reverse_pass.h"
#include "training/distillation_loss.h"
#include "training/learned_parameters.h"
#include "training/training_graph.h"

namespace quantscope {

class Execution;

using BoundTensors = std::vector<std::pair<ValueId, Tensor>>;

/// A feed with what its outputs are to be.
struct TrainingSample {
  BoundTensors inputs;               ///< of the network, or of the block
  std::vector<Tensor> targets;       ///< by LossTerms
  std::vector<std::int64_t> labels;  ///< by sample of the feed; negative = none
  FeedExtent extent;
  std::uint64_t number = 0;  ///< of the first sample: the key of its noise
};

/// Makes a sample when it is needed, from what is kept or anew: the same bits each time. May be
/// called by several threads at once, those of the workers.
using SampleMaker = std::function<TrainingSample()>;

/// Of the memory budget of a training one part in so many is for samples that are kept, the rest
/// for what is computed from them.
inline constexpr std::size_t kSampleShare = 2;
/// So many samples of a batch are computed at once, at most.
inline constexpr std::size_t kTrainingLanes = 8;

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
  BatchGradients backward(std::span<const SampleMaker> batch, const StepNoise* noise,
                          JobContext& job) const;
  /// The mean loss, rounded to the nearest. Runs no gradient.
  double loss(std::span<const SampleMaker> samples, JobContext& job) const;
  /// A value of the network for each sample, rounded to the nearest.
  std::vector<Tensor> values(ValueId value, std::span<const SampleMaker> samples,
                             JobContext& job) const;
  /// The parameters as they are now, rounded to the nearest, for value().
  BoundTensors parameters() const;
  /// A value for these inputs and parameters, on the calling thread, which is one of the workers'.
  Tensor value(ValueId value, BoundTensors inputs, const BoundTensors& parameters) const;

 private:
  using RunSink =
      std::function<void(std::size_t index, const TrainingSample& sample, Execution& run)>;
  /// Runs the samples in parallel with the parameters as they are, rounded to nearest.
  void forEachRun(std::span<const SampleMaker> samples, JobContext& job, const RunSink& take) const;

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

/// Groups whose ranges several of the networks read.
std::set<std::size_t> sharedGroups(const std::vector<std::unique_ptr<TrainingNetwork>>& networks);

}  // namespace quantscope
