#pragma once

#include <functional>

#include "base/job_context.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope {

using SnapshotSink = std::function<void(SnapshotPtr)>;

/// Loads, calibrates and analyses what is asked for, and publishes what is known on the way: the
/// model's structure, a first result from the first sample alone, then results of more and more
/// samples, and at the end the complete one, which is the one that analyzeModel() gives.
///
/// `previous`, which may be null, spares what it already holds: the loaded model; the observations
/// where the data is the same; and where it is complete for the same data, only the complete result
/// is published, so that nothing good is replaced by something preliminary.
///
/// Throws what loadModel(), openSamples() and analyze() throw; what was published before stays
/// valid.
void analyzeInSteps(const AnalysisRequest& request, const SnapshotPtr& previous, JobContext& job,
                    const SnapshotSink& publish);

}  // namespace quantscope
