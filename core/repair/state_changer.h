#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/time_limit.h"
#include "repair/output_judge.h"
#include "repair/repair_course.h"
#include "repair/repair_step.h"
#include "repair/split_samples.h"

namespace quantscope {

/// A step's change of a state and of the states of all folds.
struct StateChange {
  RepairProposal proposal;
  std::optional<MeasuredState> after;  ///< none if nothing changes
};

/// Changes the states of a repair, and measures them.
class StateChanger {
 public:
  /// All must outlive it. `original`: the float model that was given.
  StateChanger(const Engine& original, SplitSamples& split, SampleSet& calibration,
               const ObservationSettings& settings, const Labels& labels, AnalysisMemory& memory,
               JobContext& job, TimeLimit& limit);

  /// What is given, or ends itself, is not cut off where the time is over.
  void setPatient(bool isPatient) { m_isPatient = isPatient; }
  /// Ways of the step at hand that share the time, with the next one.
  void setWaysLeft(std::size_t ways) { m_waysLeft = ways; }
  RepairTools& tools() { return m_isPatient ? m_patient : m_limited; }
  OutputJudge& judge() { return m_judge; }

  void measure(MeasuredState& measured, const std::string& stage, JobContext& job);
  /// One way of a step, for the layers of these names; none = all.
  StateChange change(const MeasuredState& before, const std::vector<std::string>& only,
                     const RepairStep& step, std::size_t way, const std::string& stage);
  /// The state with fitted biases, if they bring the held-out samples closer.
  MeasuredState withBiases(MeasuredState state, const std::vector<std::string>& only);

 private:
  using Propose = std::function<RepairProposal(const RepairState& state, const LinearLayers& layers,
                                               RepairTools& tools)>;

  RepairTools toolsOf(std::size_t fold);
  StateChange change(const MeasuredState& before, const std::vector<std::string>& only,
                     const std::string& stage, const Propose& propose);

  SplitSamples& m_split;
  RepairTools m_limited;
  RepairTools m_patient;
  bool m_isPatient = false;
  std::size_t m_waysLeft = 1;
  OutputJudge m_judge;
};

}  // namespace quantscope
