#pragma once

#include <functional>
#include <memory>

#include "analysis/analysis_memory.h"
#include "analysis/analyze.h"
#include "base/job_context.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope {

using SnapshotSink = std::function<void(SnapshotPtr)>;

/// A request with all that it names opened.
struct OpenedAnalysis {
  AnalysisRequest request;
  LoadedModel model;
  std::shared_ptr<SampleSet> data;
  std::shared_ptr<SampleSet> calibration;  ///< may be the same as `data`
  Labels labels;
};

/// Calibrates on one set of samples, quantizes by the configuration, measures on another, runs the
/// detectors, and tries what they suggest. Returns the complete result.
///
/// `publish`, where given, gets what is known on the way: a first result from the first samples
/// alone, then of more and more, then the complete one without and with gains. It changes nothing
/// about the end.
///
/// `previous`, which may be null, spares the calibration where it has seen the same samples; and
/// where it is complete for the same data, what is published first is its result with the first
/// effects of the other configuration (see FirstEffects), so that nothing good is replaced.
/// `memory` spares what was run for any other configuration.
///
/// Throws what analyze() throws; what was published before stays valid.
SnapshotPtr runAnalysis(const OpenedAnalysis& opened, const SnapshotPtr& previous,
                        AnalysisMemory& memory, JobContext& job, const SnapshotSink& publish = {});

/// The model alone, under the configuration: rows without errors.
SnapshotPtr describeStructure(const AnalysisRequest& request, const LoadedModel& model,
                              JobContext& job);

/// True where `previous` is complete for the samples of `opened`.
bool completeFor(const SnapshotPtr& previous, const OpenedAnalysis& opened);

}  // namespace quantscope
