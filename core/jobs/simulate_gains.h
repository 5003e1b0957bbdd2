#pragma once

#include <functional>

#include "analysis/analysis_memory.h"
#include "calibration/observers/observations.h"
#include "calibration/sample_set.h"
#include "detectors/detector.h"
#include "jobs/load_model.h"

namespace quantscope {

/// What a finding that is only worth a word if its suggestion helps (Finding::onlyIfItHelps) must
/// gain to be reported.
inline constexpr double kClearGainDb = 0.2;

/// Is handed the report with the gains that are known so far, about twice a second.
using GainSink = std::function<void(const DetectorReport&)>;

/// Fills in what each suggestion gains (Suggestion::gainDb) by running the network under it alone:
/// SQNR of the first float output, less that of the configuration as it is. No new calibration: the
/// ranges come from what was observed. Gains stay absent where there is no float output or no
/// signal in it, where a changed configuration cannot be applied, and where equalizeLayer() cannot
/// tell. Unproven findings that gain kClearGainDb join the others.
///
/// Starts from what the analysis has left in `memory`.
///
/// The first findings come first. `soFar` (may be empty) is not called with the complete report.
/// Bit-identical for any number of threads. Throws Cancelled.
void simulateGains(const LoadedModel& model, const PrecisionConfig& config,
                   const QuantizedModel& quantized, const Observations& observations,
                   const AnalysisResult& baseline, SampleSet& samples, AnalysisMemory& memory,
                   JobContext& job, DetectorReport& report, const GainSink& soFar = {});

}  // namespace quantscope
