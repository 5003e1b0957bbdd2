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

/// When suggestions are estimated before they are run.
struct GainSettings {
  /// From so many multiply-accumulates of all runs together on, some ten seconds of two threads:
  /// networks that are smaller are measured about as soon.
  double leastWork = 1e12;
  /// Of fewer feeds chance has too large a part in every gain.
  std::size_t leastFeeds = 16;
  /// No gain from there on may remain an estimate; of unproven findings none from kClearGainDb on.
  double leastGainDb = kClearGainDb / 2;
};

/// Receives the report with the gains known so far, about twice a second.
using GainSink = std::function<void(const DetectorReport&)>;

/// Computes the gain of each suggestion (Suggestion::gainDb) by a run of the network with that
/// suggestion alone: the SQNR of the worst output minus that of the worst one under the current
/// configuration. No new calibration: the ranges come from what was observed. Gains stay absent
/// where no output has an SQNR, where a changed configuration cannot be applied, and where an
/// equalization has no effect (see equalizeLayer()). Unproven findings that gain kClearGainDb join
/// the others, and severity follows the gains (followGains()).
///
/// Where that is much work (GainSettings), gradients on some of the samples say first what each
/// suggestion gains (estimateGains()). The most promising are run first, and so is one that changes
/// the network early; what their gains miss the estimates by says what can be left at that
/// (GainMargin): gains that would not reach GainSettings::leastGainDb when measured. What gradients
/// cannot tell is first run on the same samples, which may be enough as well. These gains are
/// marked with Suggestion::gainEstimated. Everything else is run as without.
///
/// Reuses the values that the analysis has left in `memory`.
///
/// The first findings come first. `soFar` (may be empty) is not called with the complete report.
/// Bit-identical for any number of threads. Throws Cancelled.
void simulateGains(const LoadedModel& model, const Configuration& config,
                   const QuantizedModel& quantized, const Observations& observations,
                   const AnalysisResult& baseline, SampleSet& samples, AnalysisMemory& memory,
                   JobContext& job, DetectorReport& report, const GainSink& soFar = {},
                   const GainSettings& settings = {});

}  // namespace quantscope
