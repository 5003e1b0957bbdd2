#pragma once

#include "calibration/observations.h"
#include "calibration/sample_source.h"
#include "detectors/detector.h"
#include "jobs/load_model.h"

namespace quantscope {

/// So many different suggestions are run at most, those of the first findings: each costs a run of
/// the quantized network over the data.
inline constexpr std::size_t kMostSimulated = 24;

/// Fills in what each suggestion gains (Suggestion::gainDb) by running the network under its
/// changes alone: SQNR of the first float output, less that of the configuration as it is. No new
/// calibration: the ranges come from what was observed. Gains stay absent where there is no float
/// output or no signal in it, and where a changed configuration cannot be applied. Bit-identical
/// for any number of threads. Throws Cancelled.
void simulateGains(const LoadedModel& model, const PrecisionConfig& config,
                   const QuantizedModel& quantized, const Observations& observations,
                   const AnalysisResult& baseline, SampleSource& source, JobContext& job,
                   DetectorReport& report);

}  // namespace quantscope
