#pragma once

#include <optional>
#include <string>
#include <vector>

#include "repair/recipe.h"

namespace quantscope {

/// A state of a repair, and how close it comes to the float model.
struct MeasuredState {
  RepairState state;
  /// Where there are several folds: the same steps, fitted to each.
  std::vector<RepairState> folds;
  MeasuredOutputs outputs;
  double bytes = 0;
  bool fittedBiases = false;  ///< after the last step
};

/// A step that stays.
struct KeptStep {
  const RepairStep* step;
  std::size_t way;
  std::vector<std::string> only;
  std::size_t report;  ///< in RepairResult::steps
};

/// Everything that a repair has computed and another one of the same model can go on from.
class RepairCourse {
 public:
  /// How many of the given steps ran here first; nullopt where another one ran among them.
  std::optional<std::size_t> lead(const std::vector<GivenStep>& given) const;
  /// The one that knows the most of the given steps; nullptr if there is none at all.
  static const RepairCourse* closest(const RepairRequest& request);

  MeasuredState start;
  std::vector<OutputResult> startAll;
  MeasuredState folded;  ///< with normalizations folded, before all steps
  MeasuredState end;
  std::vector<StepReport> kept;  ///< steps that stay
};

}  // namespace quantscope
