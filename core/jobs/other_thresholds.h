#pragma once

#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// True where `known` is complete and holds all that `request` asks for, but for what the detectors
/// say under other thresholds. The reference percentile is no such threshold: it decides what
/// calibration keeps.
bool onlyThresholdsDiffer(const AnalysisSnapshot& known, const AnalysisRequest& request);

/// `known` with what the detectors find under the thresholds of `request`; nothing is run, and what
/// suggestions gain is absent. Where the thresholds are the same, `known` itself.
SnapshotPtr withThresholds(const SnapshotPtr& known, const AnalysisRequest& request);

}  // namespace quantscope
