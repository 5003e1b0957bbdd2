#pragma once

#include <limits>
#include <vector>

#include "base/job_context.h"
#include "calibration/observers/observations.h"
#include "calibration/observers/value_observer.h"
#include "calibration/sample_source.h"
#include "engine/engine.h"
#include "engine/evaluation/activation_cache.h"

namespace quantscope {

/// The activations of the float run that are kept for later runs of the same samples.
struct KeptActivations {
  ActivationCache* cache = nullptr;  ///< null = nothing is left
  std::vector<ValueId> values;       ///< of the main graph
};

/// Runs the float network once over all samples and observes every float value that is computed,
/// graph inputs included. Memory does not depend on the number of samples; the result is
/// bit-identical for any number of threads. `most`: the number of feeds to run at most. `kept`: as
/// far as half of the cache's budget goes, and only where the source is a SampleSet, whose samples
/// have ids. Throws InsufficientData where there are no samples.
Observations calibrate(const Engine& engine, SampleSource& source,
                       const ObservationSettings& settings, JobContext& job,
                       std::size_t most = std::numeric_limits<std::size_t>::max(),
                       const KeptActivations& kept = {});

}  // namespace quantscope
