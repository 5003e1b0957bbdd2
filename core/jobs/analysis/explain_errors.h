#pragma once

#include "analysis/analysis_memory.h"
#include "base/job_context.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// A complete analysis with the causes of its errors: each layer's error budget, and what weights
/// and activations do to the outputs apart. Throws Cancelled.
SnapshotPtr explainErrors(const SnapshotPtr& complete, AnalysisMemory& memory, JobContext& job);

/// A complete analysis with each layer's own effect on the outputs. Throws Cancelled.
SnapshotPtr withContributions(const SnapshotPtr& complete, AnalysisMemory& memory, JobContext& job);

/// Measures the error budgets of the layers whose error needs an explanation (layersToExplain()),
/// and keeps them in the rows of the result. Throws Cancelled.
void explainWorst(const Engine& engine, const QuantizedModel& model, SampleSet& samples,
                  AnalysisMemory& memory, JobContext& job, AnalysisResult& result);

}  // namespace quantscope
