#pragma once

#include <string>
#include <vector>

#include "jobs/analysis/config_gains.h"
#include "jobs/repair/run_repair.h"
#include "repair/fitting_steps.h"

namespace quantscope {

/// What the repairs that act on one fault win together.
struct FittingGain {
  FittingRepair repair;           ///< what was tried
  std::vector<std::string> kept;  ///< its steps that held-out samples confirm
  /// Of the worst output of all samples, as the headline has it; none where none can be tried.
  ConfigGain gain;
  bool outOfTime = false;  ///< not all were tried
  std::string refusal;     ///< why none can be tried; empty = they were
};

/// Tries repairs of a complete result together, as `repair --steps --only` does. Of `limits` the
/// time and the batch count. Throws Cancelled.
FittingGain measureFittingGain(const AnalysisSnapshot& shown, const FittingRepair& repair,
                               const RepairRequest& limits, const Labels& labels,
                               AnalysisMemory& memory, JobContext& job);

}  // namespace quantscope
