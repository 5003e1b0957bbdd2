#pragma once

#include <vector>

#include "analysis/analysis_memory.h"
#include "analysis/errors/layer_errors.h"
#include "analysis/twin_setup.h"
#include "base/job_context.h"
#include "jobs/analysis/run_analysis.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// A first answer to an edit: the previous result, with the figures that are cheap to compute
/// measured anew. All references outlive it.
class FirstEffects {
 public:
  /// `before`: complete, of the same data; `model`, `observations`: after the edit.
  FirstEffects(const OpenedAnalysis& opened, const AnalysisSnapshot& before,
               const QuantizedModel& model, const Observations& observations,
               AnalysisMemory& memory, JobContext& job);

  /// False where the edit changes nothing that is measured.
  bool any() const { return !m_changes.empty(); }
  /// True where the memory has all errors of the edited network: they take no time.
  bool allMeasured() const;
  /// True where few enough layers change that their own errors come before all else.
  bool hasOwnErrors() const;

  /// The result with the own errors of the layers that changed, and the size of the network.
  AnalysisResult withOwnErrors();
  /// The same, and the outputs of the first feed.
  AnalysisResult withFirstOutputs();

 private:
  std::vector<std::size_t> changedLayers() const;
  void matchRows(const AnalysisResult& before);
  void replaceRow(std::size_t layer, const LayerErrors& errors);

  const OpenedAnalysis& m_opened;
  const QuantizedModel& m_model;
  const Observations& m_observations;
  AnalysisMemory& m_memory;
  JobContext& m_job;
  QuantizationChanges m_changes;
  Evaluator m_evaluator;
  TwinSetup m_setup;
  AnalysisResult m_result;
};

}  // namespace quantscope
