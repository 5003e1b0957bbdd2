#pragma once

#include <cstddef>
#include <optional>

#include "analysis/sensitivity/sensitivity.h"
#include "jobs/load_model.h"

namespace quantscope {

/// The cost of backward passes, and the quality of their estimates.
struct GradientBenchmark {
  int threads = 0;
  std::size_t samples = 0;
  std::size_t weights = 0;      ///< constants whose cotangent was computed
  double floatPassSeconds = 0;  ///< the outputs of all samples, all threads
  /// A forward run that keeps the needed values, and the way back to all weights, over all samples;
  /// one set of cotangents, all ones, at the first real output.
  double forwardBackwardSeconds = 0;
  double backwardSeconds = 0;  ///< the way back alone: summed over the samples, by thread

  /// The figures below are set if types were given.
  std::size_t rows = 0;
  std::size_t estimated = 0;  ///< rows that an estimate could be had for
  std::size_t probes = 0;
  double estimateSeconds = 0;
  double measureSeconds = 0;
  std::optional<double> spearman;  ///< of predicted and measured SQNR of the first output
  /// Median of |predicted − measured| in dB.
  std::optional<double> medianErrorDb;
  double peakRssMib = 0;

  double backwardMilliseconds() const {
    return 1e3 * backwardSeconds / static_cast<double>(samples);
  }
  double estimateEquivalents() const { return estimateSeconds / floatPassSeconds; }
};

/// Throws what calibration and Sensitivity throw; InvalidParameters where the network has no output
/// of real numbers.
GradientBenchmark benchGradients(const LoadedModel& model, const Configuration& config,
                                 SampleSet& samples, const SensitivityRequest& request,
                                 const GradientEstimateSettings& settings, JobContext& job);

}  // namespace quantscope
