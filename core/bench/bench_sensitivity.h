#pragma once

#include <cstddef>

#include "analysis/sensitivity/sensitivity.h"
#include "jobs/load_model.h"

namespace quantscope {

/// The cost of a sensitivity analysis after calibration, beside a float pass of the same samples.
struct SensitivityBenchmark {
  std::size_t nodes = 0;  ///< layers that were tried
  std::size_t types = 0;
  std::size_t samples = 0;
  double seconds = 0;
  double floatPassSeconds = 0;  ///< the outputs of all samples, all threads
  /// The summed cost of the cones in such passes: of each layer and what is behind it, by the time
  /// of the nodes in a float pass.
  double conePasses = 0;
  double firstRankingSeconds = 0;  ///< until a first ranking of all items is there
  std::size_t firstRankingSamples = 0;
  /// How many of the (up to 10) most sensitive items in the final result were so in that ranking.
  std::size_t topFound = 0;
  std::size_t top = 0;
  double peakRssMib = 0;

  double firstRankingShare() const { return firstRankingSeconds / seconds; }
  double forwardEquivalents() const { return seconds / floatPassSeconds; }
};

/// Throws what calibration and Sensitivity throw.
SensitivityBenchmark benchSensitivity(const LoadedModel& model, const Configuration& config,
                                      SampleSet& samples, const SensitivityRequest& request,
                                      JobContext& job);

}  // namespace quantscope
