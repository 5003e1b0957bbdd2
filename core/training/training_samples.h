#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "analysis/analyze.h"
#include "base/counter_random.h"
#include "calibration/sample_set.h"
#include "repair/repair_state.h"
#include "training/network_blocks.h"
#include "training/training_network.h"

namespace quantscope {

/// The samples of a training, read once, with the float twin's values that it comes close to. Feeds
/// beyond the memory that those may take are left out, evenly.
class TrainingSamples {
 public:
  /// `values`: of the twin, in the order of the targets. Throws InsufficientData for fewer than
  /// 8 samples.
  TrainingSamples(const RepairState& state, SampleSet& source, const Labels& labels,
                  std::vector<ValueId> values, JobContext& job);

  std::size_t count() const { return m_feeds.size(); }
  /// Every fifth feed is held back.
  static bool isHeldBack(std::size_t feed) { return feed % 5 == 2; }
  std::size_t samplesOf(bool heldBack) const;
  /// Those of all feeds' samples that are held back, or the others.
  static std::vector<const TrainingSample*> part(const std::vector<TrainingSample>& all,
                                                 bool heldBack);
  std::size_t batch() const { return m_batch; }
  bool anyLabels() const { return m_anyLabels; }
  ContentId content() const { return m_content; }

  /// The samples to train on, or those held back, from the network's inputs to these targets.
  std::vector<TrainingSample> forNetwork(std::span<const std::size_t> targets) const;
  /// Variations of those held back with each other, where these are too few to tell two states
  /// apart; see varied(). Empty where they suffice or cannot be varied.
  std::vector<TrainingSample> heldBackVariations(const CounterRandom& random,
                                                 JobContext& job) const;
  const Tensor& target(std::size_t feed, std::size_t value) const { return m_targets[feed][value]; }
  /// A feed with its pictures moved, and half of the time mixed with another feed's inputs, and
  /// what the twin makes of that: of few samples as many as training wants. It has no labels. None
  /// where an input is no float32, or where the two have different shapes.
  std::optional<TrainingSample> varied(std::size_t feed, std::size_t other,
                                       const CounterRandom& random, const JobContext& job) const;
  /// The mean of ‖y‖² of a value over samples to train on; 1 where it is 0.
  double power(std::size_t value) const;

 private:
  std::vector<Tensor> run(std::span<const std::pair<ValueId, Tensor>> inputs, std::size_t batch,
                          const JobContext& job) const;

  std::vector<ValueId> m_values;
  std::unique_ptr<Plan> m_plan;  // of the twin
  std::vector<Feed> m_feeds;
  std::vector<std::vector<std::int64_t>> m_labels;  // by feed
  std::vector<std::vector<Tensor>> m_targets;       // by feed and value
  std::size_t m_batch = 1;
  bool m_anyLabels = false;
  ContentId m_content;
};

}  // namespace quantscope
