#pragma once

#include "analysis/analysis_memory.h"
#include "base/job_context.h"
#include "jobs/analysis/run_analysis.h"

namespace quantscope {

/// Loads, calibrates and analyses a request. Publishes the model's structure, then the results of
/// runAnalysis().
///
/// `previous` may be null. Its loaded model, its samples and its results are reused unless their
/// files have changed on disk. `seen`: as for runAnalysis().
///
/// Throws what loadModel(), openSamples() and analyze() throw; results published before stay
/// valid.
void analyzeInSteps(const AnalysisRequest& request, const SnapshotPtr& previous,
                    AnalysisMemory& memory, JobContext& job, const SnapshotSink& publish,
                    std::span<const SnapshotPtr> seen = {});

/// Loads and opens the files of a request, and reuses from `previous` everything unchanged on disk.
/// Throws what loadModel() and openSamples() throw.
OpenedAnalysis openAnalysis(const AnalysisRequest& request, const SnapshotPtr& previous,
                            JobContext& job);

}  // namespace quantscope
