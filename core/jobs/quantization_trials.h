#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/error_metrics.h"
#include "analysis/tensor_errors.h"
#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "engine/applied_quantization.h"
#include "engine/execution.h"

namespace quantscope {

/// What small changes of a quantized network do to one of its outputs, over all samples.
///
/// Under a change only what lies behind the first node that it touches differs from the network as
/// it is. So that runs once per feed, and each change goes on from a copy of its state there: the
/// same bits as a run from the start.
class QuantizationTrials {
 public:
  /// All must outlive it. `baseline`: the quantization that is changed.
  QuantizationTrials(const Engine& engine, const AppliedQuantization& baseline, ValueId output,
                     SampleSource& source, JobContext& job);

  /// SQNR of the output against the float network, in dB, by change; none where there is no signal.
  /// Bit-identical for any number of threads, and whichever changes are tried together. The stage
  /// is the job's. Throws Cancelled between two steps.
  std::vector<std::optional<double>> sqnrDb(std::span<const QuantizationChanges> changes,
                                            const std::string& stage);

 private:
  struct Trial {
    std::size_t index = 0;      ///< among the changes
    std::size_t firstStep = 0;  ///< of the plan's main graph that differs
  };
  struct FeedErrors {
    Tensor reference;
    std::vector<std::vector<ChannelSums>> byChange;
  };

  void indexSteps();
  void placeAt(std::size_t step, NodeId node);
  std::vector<Trial> orderedTrials(std::span<const QuantizationChanges> changes) const;
  FeedErrors runFeed(const Feed& feed, std::span<const QuantizationChanges> changes,
                     const std::vector<Trial>& trials) const;
  Tensor referenceOf(const Feed& feed) const;
  void keepReference(std::size_t firstSample, Tensor&& reference);
  void finish(Execution& run) const;

  const AppliedQuantization& m_baseline;
  ValueId m_output;
  SampleSource& m_source;
  JobContext& m_job;
  Plan m_plan;
  std::vector<std::size_t> m_stepOfNode;       // of the main graph; stepCount where it does not run
  std::map<std::size_t, Tensor> m_references;  // outputs of the float network, by first sample
  std::size_t m_referenceBytes = 0;
};

}  // namespace quantscope
