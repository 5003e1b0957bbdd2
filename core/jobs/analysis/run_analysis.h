#pragma once

#include <functional>
#include <memory>
#include <span>

#include "analysis/analysis_memory.h"
#include "analysis/analyze.h"
#include "base/job_context.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope {

using SnapshotSink = std::function<void(SnapshotPtr)>;

/// A request with its model and data opened.
struct OpenedAnalysis {
  AnalysisRequest request;
  LoadedModel model;
  std::shared_ptr<SampleSet> data;
  std::shared_ptr<SampleSet> calibration;  ///< may be the same as `data`
  Labels labels;
};

/// Calibrates on one set of samples, quantizes with the configuration, measures on another set,
/// runs the detectors and simulates their suggestions. Returns the complete result.
///
/// `publish` (optional) receives intermediate results: first from the first samples alone, then
/// from more and more samples, then the complete one without and with gains. It does not change the
/// final result.
///
/// `previous` may be null. Its calibration is reused if it has seen the same samples. If it is
/// complete for the same data, what is published first is its result with the first effects of the
/// other configuration (see FirstEffects), so that no complete result is replaced by a lesser one.
/// `seen`: complete results of before. One of the same data and of a configuration that differs in
/// nothing but the detectors' limits is published as it is, with what they say now.
///
/// `memory` holds values that were computed for other configurations.
///
/// Throws what analyze() throws; what was published before stays valid.
SnapshotPtr runAnalysis(const OpenedAnalysis& opened, const SnapshotPtr& previous,
                        AnalysisMemory& memory, JobContext& job, const SnapshotSink& publish = {},
                        std::span<const SnapshotPtr> seen = {});

/// The model alone, under the configuration: rows without errors.
SnapshotPtr describeStructure(const AnalysisRequest& request, const LoadedModel& model,
                              JobContext& job);

}  // namespace quantscope
