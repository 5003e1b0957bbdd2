#include "repair/without_step.h"

namespace quantscope {

ShorterRecipe::ShorterRecipe(StateChanger& changer, const MeasuredState& folded,
                             const std::vector<KeptStep>& kept,
                             const std::vector<StepReport>& reports, bool anyToFit)
    : m_changer(changer),
      m_folded(folded),
      m_kept(kept),
      m_reports(reports),
      m_anyToFit(anyToFit) {}

WithoutStep ShorterRecipe::run(std::size_t left) {
  WithoutStep without{m_folded, {}};
  m_before.assign(m_kept.size(), std::nullopt);
  for (std::size_t i = 0; i < m_kept.size(); ++i) {
    without.reports.push_back(i == left ? m_reports[m_kept[i].report]
                                        : carryOut(i, left, without.state));
  }
  return without;
}

StepReport ShorterRecipe::carryOut(std::size_t index, std::size_t left, MeasuredState& state) {
  const auto& [step, way, only, place] = m_kept[index];
  const StepReport& known = m_reports[place];
  StateChange changed = m_changer.change(state, only, *step, way, "Leaving steps out");
  if (!changed.after) {
    StepReport idle;
    idle.step = known.step;
    idle.what = known.what;
    idle.way = way;
    idle.only = only;
    idle.seconds = known.seconds;
    idle.notes = known.notes;
    const std::string& why = changed.proposal.reason;
    idle.reason = "without '" + m_reports[m_kept[left].report].step + "' it changes nothing" +
                  (why.empty() ? "" : ": " + why);
    return idle;
  }
  MeasuredState after = *std::move(changed.after);
  if (!step->fitsBiases) after = m_changer.withBiases(std::move(after), only);
  StepReport report = known;
  report.gainOfBiasesDb.reset();
  report.describe(changed.proposal, way, judgeStep(state.outputs, after.outputs), state, after,
                  m_anyToFit);
  if (after.fittedBiases && index > left) m_before[index] = std::move(state);
  state = std::move(after);
  return report;
}

void ShorterRecipe::measureBiases(WithoutStep& without) {
  for (std::size_t i = 0; i < m_before.size(); ++i) {
    if (!m_before[i]) continue;
    const MeasuredState fitted = m_changer.withBiases(*m_before[i], m_kept[i].only);
    if (!fitted.fittedBiases) continue;
    without.reports[i].gainOfBiasesDb = judgeStep(m_before[i]->outputs, fitted.outputs).heldOutDb;
  }
}

}  // namespace quantscope
