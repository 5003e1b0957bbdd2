#pragma once

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "compare/comparison.h"
#include "jobs/load_model.h"

namespace quantscope {

/// Runs the detectors on the first model with the types and grids that the comparison has found in
/// the second, and stores what they say with the layers that it is true of. The samples are those
/// of the comparison. Where that cannot be done, ModelComparison::notDetected says why. Throws
/// Cancelled.
void addDetectedReasons(const LoadedModel& first, SampleSource& source, ModelComparison& comparison,
                        JobContext& job);

}  // namespace quantscope
