#pragma once

#include "jobs/load_model.h"
#include "repair/recipe.h"

namespace quantscope {

/// The cost and the gain of the recipe of repairs, beside a float pass of the same samples.
struct RepairBenchmark {
  std::size_t samples = 0;
  double seconds = 0;           ///< of the recipe, calibration counted
  double floatPassSeconds = 0;  ///< the outputs of all samples, all threads
  double startDb = 0;           ///< SQNR of the worst output, held out; within ±150
  double endDb = 0;
  std::vector<StepReport> steps;
  /// Where weights have at most 4 bits: the end with rounding in the Gram domain alone, and with
  /// AdaRound alone, each from the nearest codes on.
  std::optional<double> gramRoundingDb;
  std::optional<double> adaRoundDb;
  double peakRssMib = 0;

  double forwardEquivalents() const { return seconds / floatPassSeconds; }
};

/// Throws what runRepair() throws.
RepairBenchmark benchRepair(const LoadedModel& model, const Configuration& config,
                            SampleSet& samples, const RepairRequest& request, JobContext& job);

}  // namespace quantscope
