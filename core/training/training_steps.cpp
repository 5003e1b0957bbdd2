#include "training/training_steps.h"

#include <algorithm>

#include "base/error.h"
#include "training/training_samples.h"

namespace quantscope {
namespace {

constexpr std::size_t kScaleSteps = 150;
constexpr std::size_t kScaleBatch = 16;

FittingEnd endOf(const TrainingReport& report) {
  return {.how = words(report.end),
          .steps = report.steps,
          .planned = report.plannedSteps,
          .cutShort = report.end == TrainingEnd::OutOfTime || report.end == TrainingEnd::Stopped};
}

RepairProposal proposalOf(TrainingOutcome&& outcome, std::string what) {
  if (outcome.state == nullptr) {
    return notLegal("what it had learned was not kept: it has to run again");
  }
  RepairProposal proposal;
  proposal.end = endOf(outcome.report);
  proposal.notes = std::move(outcome.report.notes);
  if (outcome.overlay.empty()) {
    proposal.reason = "no state was better than the start";
    return proposal;
  }
  proposal.overlay = std::move(outcome.overlay);
  proposal.what = std::move(what);
  proposal.nodes = outcome.layers;
  return proposal;
}

// A tenth of the time is for judging the result.
TrainingSettings within(const RepairTools& tools, TrainingSettings settings) {
  constexpr double kForTraining = 0.9;
  const TimeLimit* limit = tools.limit;
  if (limit == nullptr) return settings;
  if (const std::optional<double> left = limit->secondsLeft()) {
    const double share = kForTraining * *left / static_cast<double>(tools.runs);
    settings.seconds = std::min(share, settings.seconds.value_or(share));
  }
  settings.stop = [limit, own = std::move(settings.stop)] {
    return limit->stopped() || (own && own());
  };
  return settings;
}

RepairProposal proposeScales(const RepairState& state, const LinearLayers& layers,
                             RepairTools& tools, TrainingRun* run) {
  TrainingSettings settings;
  settings.trainsWeights = false;
  settings.steps = kScaleSteps;
  settings.batch = kScaleBatch;
  settings.networkShare = 1;
  if (run != nullptr) {
    settings.known = run->settings.known;
    settings.onlyKnown = run->settings.onlyKnown;
  }
  const TrainingSettings limited = within(tools, std::move(settings));
  TrainingOutcome outcome = train(state, layers, tools.fit, {}, limited, tools.job);
  if (run != nullptr && outcome.state) run->learned.push_back(outcome.state);
  const std::size_t points = outcome.overlay.points.size();
  RepairProposal proposal = proposalOf(std::move(outcome), {});
  proposal.nodes = points;
  return proposal;
}

}  // namespace

void TrainingRun::takeLabels(const Labels& ofData, const SampleSet& data,
                             const SampleSet& calibration) {
  const bool fits = &data == &calibration;
  labels = fits ? ofData : Labels();
  note = fits || ofData.classes.empty()
             ? ""
             : "the labels are of other samples than those to calibrate with, which training is "
               "fitted to: it did without them";
}

RepairStep trainingStep(std::shared_ptr<TrainingRun> run, std::size_t ways) {
  const auto propose = [run](const RepairState& state, const LinearLayers& layers,
                             RepairTools& tools, std::size_t way) {
    try {
      TrainingSettings settings =
          within(tools, way == 0 ? run->settings : withoutWeights(run->settings));
      // One training has one checkpoint.
      if (way > 0 || tools.ofFold) settings.checkpoint = nullptr;
      TrainingOutcome outcome = train(state, layers, tools.fit, run->labels, settings, tools.job);
      if (!run->note.empty()) outcome.report.notes.push_back(run->note);
      const std::size_t before = way > 0 && run->report ? run->report->steps : 0;
      run->report = outcome.report;
      run->report->steps += before;
      if (outcome.state) run->learned.push_back(outcome.state);
      const std::string steps = std::to_string(outcome.report.steps) + " steps";
      run->error = nullptr;
      return proposalOf(std::move(outcome), way == 0 ? steps : "biases and scales, " + steps);
    } catch (const Cancelled&) {
      throw;
    } catch (...) {
      if (way == 0) run->error = std::current_exception();
      throw;
    }
  };
  return {.name = kTrainingStep,
          .what = "train weights and scales towards the float network",
          .samples = TrainingSamples::kLeast,
          .propose = propose,
          .ways = ways,
          .fitsBiases = true,
          .runsLast = true,
          .wholeModel = true,
          .endsItself = true};
}

RepairStep scalesStep(std::shared_ptr<TrainingRun> run) {
  const auto propose = [run](const RepairState& state, const LinearLayers& layers,
                             RepairTools& tools, std::size_t /*way*/) {
    return proposeScales(state, layers, tools, run.get());
  };
  return {.name = "scales",
          .what = "learn scales and zero points of activations",
          .samples = TrainingSamples::kLeast,
          .propose = propose,
          .runsLast = true,
          .wholeModel = true,
          .endsItself = true};
}

std::vector<RepairStep> recipeSteps(std::shared_ptr<TrainingRun> run) {
  std::vector<RepairStep> steps = repairSteps();
  steps.push_back(scalesStep(std::move(run)));
  return steps;
}

std::vector<RepairStep> allRecipeSteps(std::shared_ptr<TrainingRun> run) {
  std::vector<RepairStep> steps = recipeSteps(run);
  const std::size_t ways = run != nullptr && run->choices.keepsWeights ? 1 : 2;
  steps.push_back(trainingStep(std::move(run), ways));
  return steps;
}

}  // namespace quantscope
