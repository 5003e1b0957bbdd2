#include "repair/state_changer.h"

#include "analysis/cost/summary.h"
#include "repair/biases/bias_correction.h"
#include "repair/named_layers.h"
#include "repair/propose_step.h"
#include "repair/scales/equivalence_gate.h"

namespace quantscope {
namespace {

// Minimum number of samples that biases are fitted to.
constexpr std::size_t kBiasSamples = 4;

}  // namespace

StateChanger::StateChanger(const Engine& original, SplitSamples& split, SampleSet& calibration,
                           const ObservationSettings& settings, const Labels& labels,
                           AnalysisMemory& memory, JobContext& job, TimeLimit& limit)
    : m_split(split),
      m_limited{split.fit(), calibration, settings, memory, limit.job(), &limit},
      m_patient{split.fit(), calibration, settings, memory, job, &limit},
      m_judge(original, labels, memory) {}

void StateChanger::measure(MeasuredState& measured, const std::string& stage, JobContext& job) {
  std::vector<JudgedModel> folds;
  for (std::size_t i = 0; i < m_split.foldCount(); ++i) {
    const RepairState& state = measured.folds.empty() ? measured.state : measured.folds[i];
    folds.push_back({*state.engine, *state.model, m_split.fold(i)});
  }
  measured.outputs = m_judge.measure(folds, stage, job);
  const RepairState& state = measured.state;
  measured.bytes = static_cast<double>(
      summarize(*state.engine, *state.model, *state.observations).quantizedBytes);
}

RepairTools StateChanger::toolsOf(std::size_t fold) {
  const RepairTools& all = tools();
  return {
      m_split.fold(fold).fit, all.calibration, all.settings, all.memory, all.job, all.limit, true,
      all.runs - 1 - fold};
}

StateChange StateChanger::change(const MeasuredState& before, const std::vector<std::string>& only,
                                 const std::string& stage, const Propose& propose) {
  RepairTools& tools = this->tools();
  tools.runs = m_waysLeft * (1 + before.folds.size());
  StateChange result{propose(before.state, namedLayers(before.state, only), tools), {}};
  const RepairProposal& proposal = result.proposal;
  if (proposal.overlay.empty()) return result;
  MeasuredState after{
      withOverlay(before.state, proposal.overlay, proposal.effect, tools), {}, {}, 0};
  // A Clip that has become a rectifier cuts nothing off any more: that is measured instead.
  if (proposal.effect != OverlayEffect::Fitted && proposal.overlay.rectifiers.empty()) {
    result.proposal.reason =
        whyNotEquivalent(*before.state.engine, *after.state.engine, proposal.overlay, tools);
    if (!result.proposal.reason.empty()) return result;
  }
  for (std::size_t i = 0; i < before.folds.size(); ++i) {
    RepairTools ofFold = toolsOf(i);
    const RepairState& fold = before.folds[i];
    const RepairProposal own = propose(fold, namedLayers(fold, only), ofFold);
    after.folds.push_back(own.overlay.empty() ? fold
                                              : withOverlay(fold, own.overlay, own.effect, ofFold));
  }
  measure(after, stage, tools.job);
  result.after = std::move(after);
  return result;
}

StateChange StateChanger::change(const MeasuredState& before, const std::vector<std::string>& only,
                                 const RepairStep& step, std::size_t way,
                                 const std::string& stage) {
  return change(before, only, stage,
                [&](const RepairState& state, const LinearLayers& layers, RepairTools& tools) {
                  return proposeStep(step, state, layers, tools, way);
                });
}

MeasuredState StateChanger::withBiases(MeasuredState state, const std::vector<std::string>& only) {
  if (m_split.leastFit() < kBiasSamples) return state;
  StateChange fitted =
      change(state, only, "Fitting biases",
             [&](const RepairState& each, const LinearLayers& layers, RepairTools& tools) {
               return proposeBiasCorrection(each, layers, tools, 0);
             });
  if (!fitted.after) return state;
  const bool closer =
      worstDecibels(fitted.after->outputs.heldOut) > worstDecibels(state.outputs.heldOut);
  if (!closer) return state;
  fitted.after->fittedBiases = true;
  return *std::move(fitted.after);
}

}  // namespace quantscope
