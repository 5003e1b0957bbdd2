#include "jobs/repair/decide_step.h"

#include <algorithm>

namespace quantscope {
namespace {

using What = StepDecision::What;

std::size_t placeOf(const std::vector<RepairStep>& all, const std::string& step) {
  const auto found =
      std::ranges::find_if(all, [&](const RepairStep& each) { return each.name == step; });
  return static_cast<std::size_t>(found - all.begin());
}

// nullptr where the step was not tried.
const StepReport* reportOf(const RepairResult& result, const std::string& step) {
  const auto found = std::ranges::find(result.steps, step, &StepReport::step);
  return found == result.steps.end() ? nullptr : &*found;
}

class Decided {
 public:
  Decided(const RepairResult* before, const StepDecision& decision,
          const std::vector<RepairStep>& all)
      : m_before(before), m_decision(decision), m_all(all), m_place(placeOf(all, decision.step)) {}

  // The steps that stay and come before the decided one, or after it.
  std::vector<GivenStep> others(bool after) const {
    std::vector<GivenStep> steps;
    if (m_before == nullptr) return steps;
    for (const StepReport& report : m_before->steps) {
      const std::size_t place = placeOf(m_all, report.step);
      if (!report.kept || place == m_place || (place > m_place) != after) continue;
      steps.push_back({m_all[place], report.way, report.only});
    }
    return steps;
  }

  const RepairStep& step() const { return m_all[m_place]; }

  // As it was tried, where it was tried for the same layers.
  GivenStep given() const {
    const StepReport* tried = m_before == nullptr ? nullptr : reportOf(*m_before, m_decision.step);
    const bool same = tried != nullptr && tried->only == m_decision.only;
    return {step(), same ? tried->way : 0, m_decision.only};
  }

  // The reports of all steps of both, in their order.
  void addReports(RepairResult& result) const {
    if (m_before != nullptr) {
      for (StepReport report : m_before->steps) {
        if (reportOf(result, report.step) != nullptr) continue;
        if (report.step == m_decision.step) report.reason = "it was left out";
        report.kept = false;
        result.steps.push_back(std::move(report));
      }
    }
    std::ranges::stable_sort(result.steps, {},
                             [&](const StepReport& report) { return placeOf(m_all, report.step); });
  }

 private:
  const RepairResult* m_before;
  const StepDecision& m_decision;
  const std::vector<RepairStep>& m_all;
  std::size_t m_place;
};

// Without time there may be no report.
StepReport triedIn(const RepairResult& result, const std::string& step) {
  if (const StepReport* found = reportOf(result, step)) return *found;
  StepReport report;
  report.step = step;
  report.reason = result.stopped ? "it was stopped before it was tried"
                                 : "the time was over before it was tried";
  return report;
}

void append(std::vector<GivenStep>& steps, const std::vector<GivenStep>& more) {
  steps.insert(steps.end(), more.begin(), more.end());
}

}  // namespace

RepairResult decideStep(const AnalysisSnapshot& shown, const RepairResult* before,
                        const StepDecision& decision, const std::vector<RepairStep>& all,
                        const RepairRequest& limits, const Labels& labels, AnalysisMemory& memory,
                        JobContext& job) {
  const Decided decided(before, decision, all);
  const std::vector<GivenStep> after = decided.others(true);
  RepairRequest request = limits;
  request.given = decided.others(false);
  request.steps.clear();
  request.only.clear();
  if (before != nullptr && before->course) request.known.push_back(before->course);
  if (decision.what == What::Try) {
    request.steps = {decided.step()};
    request.only = decision.only;
  }
  if (decision.what == What::Keep) request.given.push_back(decided.given());
  if (decision.what != What::Try) append(request.given, after);
  RepairResult result = runRepair(shown, labels, request, memory, job);
  if (decision.what == What::Try && !after.empty()) {
    const StepReport tried = triedIn(result, decision.step);
    if (tried.kept) request.given.push_back({decided.step(), tried.way, tried.only});
    append(request.given, after);
    request.steps.clear();
    request.only.clear();
    if (result.course) request.known.push_back(result.course);
    const bool outOfTime = result.outOfTime;
    const bool stopped = result.stopped;
    if (stopped) request.stop = nullptr;
    result = runRepair(shown, labels, request, memory, job);
    result.outOfTime = outOfTime;
    result.stopped = stopped;
    if (!tried.kept) result.steps.push_back(tried);
  }
  decided.addReports(result);
  return result;
}

}  // namespace quantscope
