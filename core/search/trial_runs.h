#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/analyze.h"
#include "analysis/errors/class_drop.h"
#include "analysis/sensitivity/sweep.h"
#include "calibration/sample_subset.h"
#include "search/joint_ranks.h"
#include "search/optimized_config.h"

namespace quantscope {

/// The measured effect of a configuration on a network.
struct Trial {
  Configuration config;
  std::shared_ptr<const QuantizedModel> model;
  std::vector<OutputResult> used;     ///< on the samples that a search may see
  std::vector<OutputResult> heldOut;  ///< on the others; empty where there are none
  std::vector<OutputResult> all;      ///< on all samples
  ParetoPoint point;                  ///< likewise
  /// Share of the multiply-accumulates above 8 bits; see QuantizationSummary.
  std::optional<double> macsAbove8Bits;
};

/// The noise of an output that is not finite: more than any that can be used has, and small enough
/// to be added to others.
inline constexpr double kSpoiltNoise = 1e4;

/// The error of an output in parts of its signal's power, at most kSpoiltNoise; none where there is
/// nothing to compare.
std::optional<double> noisePower(const OutputResult& output);
/// The largest of all outputs; 0 where there is nothing to compare.
double worstNoise(const std::vector<OutputResult>& outputs);
/// The largest share of accuracy or agreement that is lost on any part of the samples; infinity
/// where no output gives class scores.
double largestDrop(const Trial& trial);

/// Said where no samples are held out, so that a choice is judged by what it was made by.
extern const char* const kNothingHeldOut;

/// Runs a network under configurations, on samples of which some are held out. Nothing runs twice.
class TrialRuns {
 public:
  /// All must outlive it. `ranks`: that share the runs of changes and meet before all others; null
  /// = there are none.
  TrialRuns(const Engine& engine, const Configuration& start, const Observations& observations,
            SampleSet& samples, const Labels& labels, AnalysisMemory& memory, JobContext& job,
            JointRanks* ranks = nullptr);

  bool holdsOut() const { return !m_split.heldOut.empty(); }
  /// How frames of recordings are held out; empty where samples are independent.
  std::string recordings() const { return recordingNotice(m_split, false); }
  /// Samples that a lost share of accuracy, or without labels of agreement, is one of.
  std::size_t classified() const;

  /// nullptr if the configuration contradicts itself.
  std::shared_ptr<const QuantizedModel> quantize(const Configuration& config) const;
  QuantizationSummary summaryOf(const QuantizedModel& model) const;
  Trial run(const Configuration& config, std::shared_ptr<const QuantizedModel> model,
            const std::string& stage);
  enum class Samples : std::uint8_t { Used, Few };
  /// By change of `base`: the outputs on the samples that a search may see, or on a few of them.
  std::vector<std::vector<OutputResult>> runChanges(const QuantizedModel& base,
                                                    const std::vector<QuantizationChanges>& changes,
                                                    const std::string& stage,
                                                    Samples samples = Samples::Used);
  const Workers& workers() const { return m_job.workers(); }
  /// Calls `prepare` for 0 … count − 1 on all workers, as a stage of the job.
  void prepareEach(const std::string& stage, std::size_t count,
                   const std::function<void(std::size_t)>& prepare);
  /// The network in float.
  const QuantizedModel& reference() const { return *m_reference; }

 private:
  std::vector<OutputResult> outputs(Sweep& sweep, const QuantizedModel& model,
                                    const std::string& stage);

  const Engine& m_engine;
  const Observations& m_observations;
  const Labels& m_labels;
  AnalysisMemory& m_memory;
  JobContext& m_job;
  JointRanks* m_ranks;
  HeldOutSplit m_split;
  SampleSet m_used;
  SampleSet m_few;
  SampleSet m_heldOut;
  std::shared_ptr<const QuantizedModel> m_reference;
  // Sweeps from the float network to any other configuration.
  Sweep m_toUsed;
  Sweep m_toHeldOut;
  Sweep m_toAll;
};

}  // namespace quantscope
