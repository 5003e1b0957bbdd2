#pragma once

#include <span>
#include <vector>

#include "base/job_context.h"
#include "calibration/sample_source.h"
#include "engine/engine.h"
#include "engine/plan.h"

namespace quantscope {

/// The time of the outputs of all samples in float, on all threads: the median of five rounds.
double floatPassSeconds(const Engine& engine, SampleSource& samples, JobContext& job);

/// Runs the feed and adds the time of each node to `seconds`, by node; that of fused nodes is at
/// the first of them.
void addNodeSeconds(const Plan& plan, const Feed& feed, std::span<double> seconds);

/// The time of all samples by node, summed over the threads.
std::vector<double> floatNodeSeconds(const Engine& engine, SampleSource& samples, JobContext& job);

}  // namespace quantscope
