#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analysis/analysis_memory.h"
#include "analysis/analysis_result.h"
#include "analysis/analyze.h"
#include "analysis/errors/output_errors.h"
#include "analysis/sensitivity/local_probe.h"
#include "base/job_context.h"
#include "calibration/sample_set.h"
#include "engine/evaluation/evaluator.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// Measures how many changes of a quantized network, each by itself, affect its outputs over all
/// samples.
///
/// A change affects only the nodes that it touches and the nodes behind them. Only these run,
/// starting from the base's values in the memory. Changes and samples run in parallel. Results are
/// kept in the memory, so a sweep that was stopped continues where it was.
class Sweep {
 public:
  struct Prepared;

  /// All but `labels` must outlive it. `outputs`: of the network.
  Sweep(const Engine& engine, const QuantizedModel& base, std::vector<ValueId> outputs,
        SampleSet& samples, AnalysisMemory& memory, JobContext& job, const Labels& labels = {});

  /// Changes that are measured several times, on other parts of the samples. `probes`: by change,
  /// or none; where a change's run passes by what a probe compares, the memory gets the probe's
  /// errors.
  std::shared_ptr<const Prepared> prepare(
      std::span<const QuantizationChanges> changes,
      std::span<const std::optional<LocalProbe>> probes = {}) const;
  /// The keys of the outputs' errors that a run of the changes keeps in the memory, without the
  /// feed.
  static std::vector<ContentId> recordKeys(const Prepared& changes);

  /// By change, and by output: its error against the float network. Bit-identical for any number of
  /// threads, for any combination of changes, and for any contents of the memory. The stage is the
  /// job's. `part`: of the samples; null = all. Throws Cancelled between two nodes, InvalidData
  /// where the labels fit no output.
  std::vector<std::vector<OutputResult>> run(const Prepared& changes, const std::string& stage,
                                             SampleSource* part = nullptr);
  std::vector<std::vector<OutputResult>> run(std::span<const QuantizationChanges> changes,
                                             const std::string& stage) {
    return run(*prepare(changes), stage);
  }

  const Evaluator& evaluator() const { return m_evaluator; }
  /// Of the float network.
  const ValueKeys& referenceKeys() const { return m_referenceKeys; }

 private:
  struct Variant;
  struct FeedResults;

  Variant variantOf(const QuantizationChanges& change) const;
  FeedResults lookUp(const Feed& feed, const std::vector<Variant>& variants) const;
  void runBase(const Feed& feed, const std::vector<ValueId>& starts, FeedResults& results) const;
  void measure(const Feed& feed, const Variant& variant, std::size_t index,
               FeedResults& results) const;
  void measureAlone(const Feed& feed, const LocalProbe& probe, const Tensor& actual) const;

  const QuantizedModel& m_base;
  std::vector<ValueId> m_outputs;
  std::vector<bool> m_afterSoftmax;  // by output
  SampleSet& m_samples;
  AnalysisMemory& m_memory;
  JobContext& m_job;
  Labels m_labels;
  Evaluator m_evaluator;
  ValueKeys m_referenceKeys;
  ValueKeys m_baseKeys;
  std::vector<bool> m_inside;  // by value: between the nodes of a layer of the base
};

}  // namespace quantscope
