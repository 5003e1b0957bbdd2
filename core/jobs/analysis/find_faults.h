#pragma once

#include "detectors/detector.h"
#include "jobs/load_model.h"

namespace quantscope {

/// Runs the detectors on an analysis. Needs no samples, so a changed threshold takes effect at
/// once.
DetectorReport findFaults(const LoadedModel& model, const Configuration& config,
                          const QuantizedModel& quantized, const Observations& observations,
                          const AnalysisResult& result, DetectorMode mode);

}  // namespace quantscope
