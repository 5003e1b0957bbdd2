#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis_memory.h"
#include "analysis/sensitivity/sensitivity_estimate.h"
#include "base/job_context.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// A row that is still to be measured.
struct RankedRow {
  std::string node;  ///< leads the layer
  QuantType type = QuantType::Int8;
  std::optional<double> sqnrDb;  ///< estimated, or of the first output on few samples; if known
  bool estimated = false;        ///< from gradients; else it was measured on few samples
};

/// One state of a sensitivity analysis: never changed, shared between threads.
struct SensitivityState {
  AnalysisRequest request;  ///< with the configuration that it is of
  AnalysedFiles files;
  SensitivityRequest asked;
  std::vector<OutputResult> baseline;  ///< of what the rows differ from
  std::size_t samples = 0;             ///< all that there are
  std::vector<SensitivityRow> rows;    ///< measured on all samples, the lowest worst output first
  std::vector<RankedRow> waiting;      ///< likewise, as far as is known before they are measured
  std::size_t rankedOn = 0;            ///< samples that those without an estimate are ranked on
  std::vector<SensitivityRow> estimates;  ///< of all rows, from gradients; empty without any (yet)
  std::size_t estimatedOn = 0;            ///< samples that they are of
  std::string notEstimated;               ///< why there are none
  EstimateQuality quality;                ///< of the estimates, by the rows that are measured

  bool complete() const { return waiting.empty(); }
};

using SensitivityStatePtr = std::shared_ptr<const SensitivityState>;
using SensitivityStateSink = std::function<void(const SensitivityStatePtr&)>;

/// True if `state` has rows for this request about an analysis; files are compared by their names.
bool isAbout(const SensitivityState& state, const AnalysisRequest& request,
             const SensitivityRequest& asked);
/// The same about an analysis that has run, whose files must have the same content, too.
bool isAbout(const SensitivityState& state, const AnalysisSnapshot& analysis,
             const SensitivityRequest& asked);

/// Measures what layers do to the outputs of a complete analysis, row by row: the rows of
/// runSensitivity(), bit for bit, without calibrating anew. Gradients say first what to expect of
/// all rows, where they can; those that they say nothing of are ranked on few samples. `before`
/// (may be null): a state that was reached earlier; its rows are neither estimated nor measured
/// again where it is about the same. `publish` gets each state, the last one complete. Throws what
/// Sensitivity throws; Cancelled.
void sensitivityInSteps(const AnalysisSnapshot& base, const SensitivityRequest& asked,
                        const SensitivityStatePtr& before, AnalysisMemory& memory, JobContext& job,
                        const SensitivityStateSink& publish);

}  // namespace quantscope
