#pragma once

#include "analysis/analysis_memory.h"
#include "base/job_context.h"
#include "jobs/run_analysis.h"

namespace quantscope {

/// Loads, calibrates and analyses what is asked for, and publishes what is known on the way: the
/// model's structure, then what runAnalysis() publishes.
///
/// `previous`, which may be null, spares what it already holds and what has not changed on disk
/// since: the loaded model, the samples, and what runAnalysis() takes from it.
///
/// Throws what loadModel(), openSamples() and analyze() throw; what was published before stays
/// valid.
void analyzeInSteps(const AnalysisRequest& request, const SnapshotPtr& previous,
                    AnalysisMemory& memory, JobContext& job, const SnapshotSink& publish);

/// Loads and opens what is asked for, and takes from `previous` what has not changed on disk.
/// Throws what loadModel() and openSamples() throw.
OpenedAnalysis openAnalysis(const AnalysisRequest& request, const SnapshotPtr& previous,
                            JobContext& job);

}  // namespace quantscope
