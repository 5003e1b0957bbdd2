#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analyze.h"
#include "base/counter_random.h"
#include "calibration/sample_set.h"
#include "repair/repair_state.h"
#include "training/network_blocks.h"
#include "training/training_network.h"

namespace quantscope {

/// Of an error that says that there are too few.
std::string wayToEnoughSamples();

/// The samples of a training, with the float twin's values that it comes close to. Of very many
/// feeds some are left out, evenly. As many of the others are kept as the memory budget allows;
/// what is not kept is read and computed again, each time to the same bits.
class TrainingSamples {
 public:
  /// Samples to fit to that a training needs.
  static constexpr std::size_t kLeast = 8;
  /// Runs of the model for them, of which one is held back.
  static constexpr std::size_t kLeastFeeds = 3;

  /// `values`: of the twin, in the order of the targets. State, source and job must outlive it.
  /// Throws InsufficientData for fewer than kLeast samples or kLeastFeeds feeds.
  TrainingSamples(const RepairState& state, SampleSet& source, const Labels& labels,
                  std::vector<ValueId> values, JobContext& job);

  std::size_t count() const { return m_feeds.size(); }
  /// So many feeds, the first ones, are kept, and so may be what is computed from each of them:
  /// twice as much as the largest of its targets.
  std::size_t keptFeeds() const { return m_keptFeeds; }
  /// Every fifth feed is held back.
  static bool isHeldBack(std::size_t feed) { return feed % 5 == 2; }
  /// Those that are held back, or the others.
  std::vector<std::size_t> feeds(bool heldBack) const;
  std::size_t samplesOf(bool heldBack) const;
  std::size_t batch() const { return m_batch; }
  bool anyLabels() const { return m_anyLabels; }
  ContentId content() const { return m_content; }

  /// All following functions read and compute on the calling thread, which is one of the workers'.
  BoundTensors inputsOf(std::size_t feed) const;
  /// From the network's inputs to these targets.
  TrainingSample sample(std::size_t feed, std::span<const std::size_t> targets) const;
  /// A feed with its pictures moved, and half of the time mixed with another feed's inputs, and
  /// what the twin makes of that, all targets: of few samples as many as training wants. It has no
  /// labels. None where an input is no float32, or where the two have different shapes.
  std::optional<TrainingSample> varied(std::size_t feed, std::size_t other,
                                       const CounterRandom& random) const;

  /// Variations of those held back with each other, where these are too few to tell two states
  /// apart; see varied(). Empty where they suffice or cannot be varied. On the job's own thread;
  /// this must outlive them.
  std::vector<SampleMaker> heldBackVariations(const CounterRandom& random) const;
  /// What the twin makes of the first feed.
  const Tensor& firstTarget(std::size_t value) const { return m_firstTargets[value]; }
  /// The mean of ‖y‖² of a value over samples to train on; 1 where it is 0.
  double power(std::size_t value) const;

 private:
  struct KnownFeed {
    std::size_t index = 0;  ///< in the source
    FeedExtent extent;
    std::uint64_t number = 0;  ///< of the first sample
    std::vector<std::int64_t> labels;
    std::vector<double> squares;  ///< ‖y‖² by value
    BoundTensors inputs;          ///< of those that are kept
    std::vector<Tensor> targets;  ///< likewise
  };

  void shareMemory(const Feed& first);
  void addFeed(std::size_t index, const Labels& labels, ContentHasher& hasher);
  void computeTargets(std::size_t feed);
  std::vector<Tensor> run(const BoundTensors& inputs, std::size_t batch) const;
  std::optional<BoundTensors> variedInputs(std::size_t feed, std::size_t other,
                                           const CounterRandom& random) const;

  SampleSet& m_source;
  JobContext& m_job;
  std::vector<ValueId> m_values;
  std::unique_ptr<Plan> m_plan;  // of the twin
  std::vector<Tensor> m_firstTargets;
  std::vector<KnownFeed> m_feeds;
  std::size_t m_keptFeeds = 0;
  std::size_t m_keptVariations = 0;
  std::size_t m_batch = 1;
  bool m_anyLabels = false;
  ContentId m_content;
};

}  // namespace quantscope
