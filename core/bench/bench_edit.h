#pragma once

#include <cstddef>

#include "base/job_context.h"
#include "calibration/sample_set.h"
#include "jobs/load_model.h"
#include "precision/config/configuration.h"

namespace quantscope {

/// How long the user waits after changing the type of one layer: medians over all layers, each of
/// which goes from the configuration to float and back. Every time starts with the edit.
struct EditBenchmark {
  std::size_t edits = 0;  ///< layers for which something changes
  std::size_t samples = 0;
  double ownMs = 0;          ///< to the local errors of what has changed, over all samples
  double firstSampleMs = 0;  ///< to the outputs of the first samples
  double allMs = 0;          ///< to the whole analysis of all samples
  double worstAllMs = 0;     ///< the same of the slowest layer
  double undoMs = 0;         ///< from going back to the whole analysis
  /// Mean share of the network's multiplications that an edit changes the result of.
  double forwardEquivalents = 0;
  double peakRssMib = 0;
};

/// Throws Cancelled, InsufficientData where no edit changes anything, and what calibration and
/// analysis throw.
EditBenchmark benchEdit(const LoadedModel& model, const Configuration& config, SampleSet& samples,
                        JobContext& job);

}  // namespace quantscope
