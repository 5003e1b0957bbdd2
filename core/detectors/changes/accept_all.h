#pragma once

#include <set>
#include <string>

#include "base/job_context.h"
#include "detectors/detector.h"
#include "detectors/findings/gain_severity.h"

namespace quantscope {

/// The configuration with every suggestion of the findings accepted that is possible: a suggestion
/// whose groups contradict each other, or that the backend cannot run, is left out, so that
/// accepting adds nothing that precision/backend/backend_check.h would list.
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
Configuration acceptAll(const Engine& engine, const Configuration& config,
                        const DetectorReport& report, const JobContext& job,
                        const std::set<std::string>& aside = {});

/// A simulated gain from −kNoLossDb on is no loss: it is shown as 0.0 dB.
inline constexpr double kNoLossDb = 0.05;
/// True where running the network under one of the report's suggestions has shown that it loses
/// precision. Never where the output as it is has an SQNR beneath kLeastTellingDb.
bool losesPrecision(const DetectorReport& report, const Suggestion& suggestion);

}  // namespace quantscope
