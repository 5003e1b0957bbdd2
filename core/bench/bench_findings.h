#pragma once

#include <cstddef>

#include "base/job_context.h"
#include "calibration/sample_set.h"
#include "jobs/load_model.h"
#include "precision/config/configuration.h"

namespace quantscope {

/// The cost of the detectors once a model is calibrated and analysed, and of simulating their
/// suggestions.
struct FindingsBenchmark {
  std::size_t nodes = 0;
  std::size_t samples = 0;
  std::size_t findings = 0;   ///< in the end, with those that the simulation has proven
  std::size_t simulated = 0;  ///< suggestions with a gain, reported or not
  double detectSeconds = 0;   ///< median of several runs of all detectors
  double simulateSeconds = 0;
  double floatPassSeconds = 0;  ///< of all samples

  double floatPasses() const { return simulateSeconds / floatPassSeconds; }
};

/// Throws Cancelled, and what calibration and analysis throw.
FindingsBenchmark benchFindings(const LoadedModel& model, const Configuration& config,
                                SampleSet& samples, JobContext& job);

}  // namespace quantscope
