#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/job_context.h"
#include "detectors/detector.h"

namespace quantscope {

/// A configuration with suggestions accepted.
struct AcceptedConfig {
  Configuration config;
  /// The ids of the findings whose suggestion lost precision when it was simulated, and was left
  /// out therefore.
  std::vector<std::string> leftOut;
};

/// The configuration with every suggestion of the findings accepted that is possible: a suggestion
/// whose groups contradict each other, or that the backend cannot run, is left out, so that
/// accepting adds nothing that precision/backend_check.h would list.
///
/// A suggestion that loses precision by itself (losesPrecision()) is left out, too. Each is judged
/// alone; the joint effect of several is not checked.
///
/// Suggestions that leave layers with weights in float, and those of findDominantParts(), are left
/// out: the user has to weigh their cost against their gain.
///
/// Mode and granularity of layers with weights follow PyTorch's ModelReport (DetectorQConfigInfo):
/// dynamic where that is recommended, per channel where the backend can; of (mode, granularity),
/// (mode, per tensor), (static, granularity) the first that is valid for the layer on the backend,
/// else the configuration's default. A layer that the configuration keeps in float, quantizes
/// dynamically already or scales by group stays so.
/// Of two suggestions for the same tensor the more severe holds.
/// Equalization is accepted if its gain was measured, not estimated, at a telling output SQNR (see
/// kLeastTellingDb); then nothing else is accepted for the layer.
/// Throws InvalidConfiguration where `config` does not fit the engine's graph, and
/// Cancelled.
///
/// `aside`: the ids of findings that are not to be followed.
AcceptedConfig acceptAll(const Engine& engine, const Configuration& config,
                         const DetectorReport& report, const JobContext& job,
                         const std::set<std::string>& aside = {});

/// A simulated gain from −kNoLossDb on is no loss: it is shown as 0.0 dB.
inline constexpr double kNoLossDb = 0.05;
/// Below it the output is so bad that the gain of a single change tells nothing: one layer's repair
/// only moves noise, although all of them together repair the output.
inline constexpr double kLeastTellingDb = 3;
/// True where running the network under one of the report's suggestions has shown that it loses
/// precision. Never where the output as it is has an SQNR beneath kLeastTellingDb.
bool losesPrecision(const DetectorReport& report, const Suggestion& suggestion);

/// "2 suggestions lose precision when simulated and were left out: a, b", with the first few ids;
/// empty where none was.
std::string leftOutText(const AcceptedConfig& accepted);

}  // namespace quantscope
