#pragma once

#include <functional>

#include "analysis/analysis_memory.h"
#include "calibration/observers/observations.h"
#include "calibration/sample_set.h"
#include "detectors/detector.h"
#include "jobs/load_model.h"

namespace quantscope {

/// The gain from which a finding with Finding::onlyIfItHelps is reported.
inline constexpr double kClearGainDb = 0.2;

/// Receives the report with the gains known so far, about twice a second.
using GainSink = std::function<void(const DetectorReport&)>;

/// Computes the gain of each suggestion (Suggestion::gainDb) by a run of the network with that
/// suggestion alone: the SQNR of the first float output minus that of the current configuration. No
/// new calibration: the ranges come from what was observed. Gains stay absent where there is no
/// float output or no signal in it, where a changed configuration cannot be applied, and where an
/// equalization has no effect (see equalizeLayer()). Unproven findings that gain kClearGainDb join
/// the others.
///
/// Reuses the values that the analysis has left in `memory`.
///
/// The first findings come first. `soFar` (may be empty) is not called with the complete report.
/// Bit-identical for any number of threads. Throws Cancelled.
void simulateGains(const LoadedModel& model, const Configuration& config,
                   const QuantizedModel& quantized, const Observations& observations,
                   const AnalysisResult& baseline, SampleSet& samples, AnalysisMemory& memory,
                   JobContext& job, DetectorReport& report, const GainSink& soFar = {});

}  // namespace quantscope
