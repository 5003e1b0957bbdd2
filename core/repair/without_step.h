#pragma once

#include <optional>
#include <vector>

#include "repair/state_changer.h"

namespace quantscope {

/// What the kept steps of a recipe come to without one of them.
struct WithoutStep {
  MeasuredState state;
  /// By kept step, as the step goes then; one that changes nothing any more is not kept.
  std::vector<StepReport> reports;
};

/// Carries the kept steps out again without number `left`, from the folded model on. `reports`: of
/// all steps. Throws what the steps throw.
class ShorterRecipe {
 public:
  ShorterRecipe(StateChanger& changer, const MeasuredState& folded,
                const std::vector<KeptStep>& kept, const std::vector<StepReport>& reports,
                bool anyToFit);

  WithoutStep run(std::size_t left);
  /// Of the steps behind the one that the last run left out: what fitted biases alone would have
  /// gained, where they are fitted.
  void measureBiases(WithoutStep& without);

 private:
  StepReport carryOut(std::size_t index, std::size_t left, MeasuredState& state);

  StateChanger& m_changer;
  const MeasuredState& m_folded;
  const std::vector<KeptStep>& m_kept;
  const std::vector<StepReport>& m_reports;
  bool m_anyToFit;
  std::vector<std::optional<MeasuredState>> m_before;  // by later kept step with fitted biases
};

}  // namespace quantscope
