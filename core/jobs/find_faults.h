#pragma once

#include "detectors/detector.h"
#include "jobs/load_model.h"

namespace quantscope {

/// What the detectors find in an analysis. Takes no samples, so that it can be had again at once
/// when a threshold of the configuration has changed.
DetectorReport findFaults(const LoadedModel& model, const Configuration& config,
                          const QuantizedModel& quantized, const Observations& observations,
                          const AnalysisResult& result, DetectorMode mode);

}  // namespace quantscope
