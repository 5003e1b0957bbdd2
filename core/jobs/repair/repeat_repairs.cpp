#include "jobs/repair/repeat_repairs.h"

#include <algorithm>
#include <cmath>

#include "precision/backend/backend_content.h"

namespace quantscope {
namespace {

std::string idOf(const Configuration& shown) {
  const Configuration config = namedByContent(shown);
  return toString(combined(
      {contentId(*config.precision), contentId(*config.encodings), contentId(*config.repairs)}));
}

std::optional<double> finite(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? number : std::nullopt;
}

StepReport reportOf(const DecidedStep& decided) {
  StepReport report;
  report.step = decided.step;
  report.what = decided.what;
  report.way = decided.way;
  report.only = decided.only;
  report.gainFitDb = decided.gainFitDb;
  report.gainHeldOutDb = decided.gainHeldOutDb;
  report.reason = decided.reason;
  return report;
}

bool learns(const RepairResult& result) {
  const std::vector<RepairStep> all = allRecipeSteps(nullptr);
  return std::ranges::any_of(result.steps, [&](const StepReport& report) {
    const auto step =
        std::ranges::find_if(all, [&](const RepairStep& each) { return each.name == report.step; });
    return report.kept && step != all.end() && step->runsLast;
  });
}

// The latest ones; each is as large as what it has learned.
std::vector<LearnedBytes> learnedBy(const TrainingRun& training, const DecidedRepairs& before) {
  constexpr std::size_t kMost = 12;
  std::vector<LearnedBytes> learned = before.learned;
  for (const auto& state : training.learned) {
    const LearnedBytes bytes{std::make_shared<const std::string>(toBytes(*state))};
    // What is learned again is the latest.
    std::erase(learned, bytes);
    learned.push_back(bytes);
  }
  if (learned.size() > kMost) learned.erase(learned.begin(), learned.end() - kMost);
  return learned;
}

}  // namespace

DecidedRepairs decidedRepairs(const AnalysisSnapshot& shown, const RepairResult& result,
                              const TrainingRun& training, const DecidedRepairs& before) {
  DecidedRepairs decided{.configuration = idOf(shown.request.config),
                         .heldOutDb = worstDecibels(result.end.heldOut),
                         .steps = {},
                         .learned = {},
                         .training = {},
                         .unfinished = {}};
  if (std::ranges::find(result.steps, kTrainingStep, &StepReport::step) != result.steps.end()) {
    decided.training = training.choices;
  }
  for (const StepReport& report : result.steps) {
    decided.steps.push_back({.step = report.step,
                             .what = report.what,
                             .way = report.way,
                             .only = report.only,
                             .kept = report.kept,
                             .reason = report.reason,
                             .gainFitDb = finite(report.gainFitDb),
                             .gainHeldOutDb = finite(report.gainHeldOutDb)});
  }
  if (learns(result)) decided.learned = learnedBy(training, before);
  return decided;
}

std::vector<std::shared_ptr<const TrainedState>> learnedStates(const DecidedRepairs& decided) {
  std::vector<std::shared_ptr<const TrainedState>> states;
  for (const LearnedBytes& each : decided.learned) {
    states.push_back(
        std::make_shared<const TrainedState>(trainedStateFrom(*each.bytes, "the project")));
  }
  return states;
}

bool areOf(const DecidedRepairs& decided, const Configuration& config) {
  return !decided.empty() && decided.configuration == idOf(config);
}

RepairResult repeatRepairs(const AnalysisSnapshot& shown, const DecidedRepairs& decided,
                           const std::shared_ptr<TrainingRun>& training,
                           const RepairRequest& limits, const Labels& labels,
                           AnalysisMemory& memory, JobContext& job) {
  training->choose(decided.training);
  training->settings.onlyKnown = true;
  training->settings.known = learnedStates(decided);
  RepairRequest request = limits;
  request.steps.clear();
  request.only.clear();
  std::vector<StepReport> reports;
  for (const RepairStep& step : allRecipeSteps(training)) {
    const auto found = std::ranges::find(decided.steps, step.name, &DecidedStep::step);
    if (found == decided.steps.end()) continue;
    reports.push_back(reportOf(*found));
    if (found->kept) request.given.push_back({step, found->way, found->only});
  }
  RepairResult result = runRepair(shown, labels, request, memory, job);
  // What was found out when they were tried, where they came to the same: not on other samples.
  const bool same = worstDecibels(result.end.heldOut) == decided.heldOutDb;
  for (StepReport& before : reports) {
    const auto ran = std::ranges::find(result.steps, before.step, &StepReport::step);
    if (ran == result.steps.end()) continue;
    StepReport report = *ran;
    if (same && ran->kept) {
      report.gainFitDb = before.gainFitDb;
      report.gainHeldOutDb = before.gainHeldOutDb;
      report.reason = before.reason;
    }
    before = report;
  }
  result.steps = std::move(reports);
  return result;
}

}  // namespace quantscope
