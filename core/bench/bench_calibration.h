#pragma once

#include <cstddef>

#include "base/job_context.h"
#include "calibration/observers/value_observer.h"
#include "calibration/sample_set.h"
#include "jobs/load_model.h"

namespace quantscope {

/// The cost of calibration, besides the cost of the model itself.
struct CalibrationBenchmark {
  int threads = 0;
  std::size_t samples = 0;
  double seconds = 0;
  double peakRssMib = 0;             ///< of the process, since its start
  double samplePerThreadRssMib = 0;  ///< the same before, after one sample on each thread at a time
  double observationsMib = 0;        ///< size of the observations
  double limitMib = 0;               ///< 1.2 · samplePerThreadRssMib + observationsMib + 64

  double floatPassSeconds = 0;  ///< the outputs of all samples, nothing observed
  double analysisSeconds = 0;   ///< calibration, local and accumulated errors; no gains

  double fractionOfLimit() const { return peakRssMib / limitMib; }
  double floatPasses() const { return seconds / floatPassSeconds; }
  double analysisFloatPasses() const { return analysisSeconds / floatPassSeconds; }
};

/// Runs the model without observing, on one sample for each thread at the same time, and then
/// calibrates with all samples; then times a float pass and a whole analysis under the built-in
/// configuration. Peaks are those of the process, so nothing large may have been done before.
/// Throws Cancelled, and what calibrate() throws.
CalibrationBenchmark benchCalibration(const LoadedModel& model, SampleSet& samples,
                                      const ObservationSettings& settings, JobContext& job);

}  // namespace quantscope
