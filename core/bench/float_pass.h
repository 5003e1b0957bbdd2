#pragma once

#include <vector>

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "engine/engine.h"

namespace quantscope {

/// The time of the outputs of all samples in float, on all threads: the median of five rounds.
double floatPassSeconds(const Engine& engine, SampleSource& samples, JobContext& job);

/// The same by node, summed over the threads; the time of fused nodes is at the first of them.
std::vector<double> floatNodeSeconds(const Engine& engine, SampleSource& samples, JobContext& job);

}  // namespace quantscope
