#pragma once

#include <limits>

#include "base/job_context.h"
#include "calibration/observers/observations.h"
#include "calibration/observers/value_observer.h"
#include "calibration/sample_source.h"
#include "engine/engine.h"

namespace quantscope {

/// Runs the float network once over all samples and observes every float value that is computed,
/// graph inputs included. Memory does not depend on the number of samples; the result is
/// bit-identical for any number of threads. `most`: the number of feeds to run at most. Throws
/// InsufficientData where there are no samples.
Observations calibrate(const Engine& engine, SampleSource& source,
                       const ObservationSettings& settings, JobContext& job,
                       std::size_t most = std::numeric_limits<std::size_t>::max());

}  // namespace quantscope
