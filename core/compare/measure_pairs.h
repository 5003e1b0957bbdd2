#pragma once

#include <vector>

#include "analysis/errors/output_errors.h"
#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "compare/layer_pairs.h"
#include "compare/paired_inputs.h"
#include "kernels/statistics/error_sums.h"
#include "kernels/statistics/min_max.h"

namespace quantscope {

/// What a pair of layers has shown over all samples.
struct PairMeasures {
  ErrorSums error;    ///< of the second model's value against the first's, whole runs
  MinMax firstRange;  ///< of the values
  MinMax secondRange;

  // The second model's layer on what the first model's values are for it.
  bool measured = false;      ///< false where the layer cannot be run by itself
  ErrorSums own;              ///< against the first model's layer on the same values
  std::size_t broken = 0;     ///< of `error`, see brokenPairs()
  std::size_t ownBroken = 0;  ///< of `own`
  std::vector<ErrorSums> ownChannels;
  /// Σ(error)² of the first model's layer with well rounded weights, and with inputs in a half
  /// type.
  double weightNoise = 0;
  MinMax expected;  ///< range of the first model's layer
  MinMax actual;
  std::size_t outside = 0;  ///< expected elements that the output's grid does not reach
  double roundedSum = 0;    ///< Σ(actual − expected) / scale of those that it reaches
  std::size_t rounded = 0;
};

/// Smallest and largest number that codes of so many bits have on a grid (the first of several).
Range reachOf(const CodeGrids& grids, int bits);

/// Two outputs of the networks that stand for each other.
struct OutputPair {
  ValueId first;
  ValueId second;
  AxisOrder axes;
};

/// Runs both models on every sample, and each pair of layers by itself on the first model's values.
/// The same for any number of threads. Throws Cancelled.
std::vector<PairMeasures> measurePairs(const ComparedModel& first, const ComparedModel& second,
                                       const PairedInputs& inputs,
                                       const std::vector<LayerPair>& pairs,
                                       const std::vector<OutputPair>& outputs,
                                       std::vector<OutputErrors>& outputErrors,
                                       SampleSource& source, JobContext& job);

}  // namespace quantscope
