#pragma once

#include <string>
#include <vector>

#include "detectors/findings/finding.h"
#include "engine/engine.h"
#include "precision/parameters/quantized_model.h"

namespace quantscope {

/// The names of the repair steps that act on the fault of a finding, in the order in which they
/// run; empty if there is none. Their gain is known only after they have run.
std::vector<std::string> fittingSteps(const Finding& finding);

/// What the fault of a finding is repaired with, and where.
struct FittingRepair {
  std::vector<std::string> steps;  ///< see fittingSteps()
  /// The finding's layers, which alone may change; see RepairRequest::only. Where a step scales
  /// channels between layers, those at the other ends too. Empty = all may: a step has to do with
  /// all of the model, or none of the finding's layers can be repaired.
  std::vector<std::string> only = {};

  friend bool operator==(const FittingRepair&, const FittingRepair&) = default;
};

/// Of a finding in a model.
FittingRepair fittingRepair(const Finding& finding, const Engine& engine,
                            const QuantizedModel& model);
/// The first of the steps that has to do with all of the model; empty = none.
std::string wholeModelStep(const std::vector<std::string>& steps);

}  // namespace quantscope
