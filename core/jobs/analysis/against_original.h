#pragma once

#include "analysis/analyze.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// A complete analysis whose outputs are measured against those of `original`, a float model with
/// the same inputs and outputs, on the same samples. A repaired model needs it: its weights and
/// biases make up for quantization, so that its own float network is another one. Layers stay as
/// they are measured; the error's way through the network is left out, and a notice says so.
///
/// Throws InvalidParameters where inputs or outputs have other names, or nothing can be compared as
/// it could with the model itself, InvalidData where the
/// labels fit no output, and Cancelled.
SnapshotPtr againstOriginal(const AnalysisSnapshot& analysis, const LoadedModel& original,
                            const Labels& labels, JobContext& job);

}  // namespace quantscope
