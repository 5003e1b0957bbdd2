#pragma once

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "engine/engine.h"

namespace quantscope {

/// The time of the outputs of all samples in float, on all threads: the median of three rounds.
double floatPassSeconds(const Engine& engine, SampleSource& samples, JobContext& job);

}  // namespace quantscope
