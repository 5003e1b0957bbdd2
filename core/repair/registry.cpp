#include <algorithm>

#include "repair/bias_correction.h"
#include "repair/repair_step.h"
#include "repair/rounding.h"

namespace quantscope {

const std::vector<RepairStep>& repairSteps() {
  static const std::vector<RepairStep> steps{
      {"round", "round weights so that a layer's outputs come closest, with the bias that fits", 4,
       proposeRounding, kRoundingWays},
      {"bias-correction", "take the mean error of each output channel out of its bias", 4,
       proposeBiasCorrection, 1, "round"},
  };
  return steps;
}

const RepairStep* findRepairStep(const std::string& name) {
  const auto found = std::ranges::find_if(
      repairSteps(), [&](const RepairStep& step) { return step.name == name; });
  return found == repairSteps().end() ? nullptr : &*found;
}

}  // namespace quantscope
