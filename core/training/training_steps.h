#pragma once

#include <exception>
#include <memory>

#include "repair/repair_step.h"
#include "training/trainer.h"
#include "training/training_choices.h"

namespace quantscope {

/// How a training in a recipe is carried out, and what it has told.
struct TrainingRun {
  TrainingSettings settings;
  TrainingChoices choices = {};          ///< that the settings have; see choose()
  Labels labels;                         ///< of the samples that it is fitted to; see takeLabels()
  std::string note;                      ///< what it does without; may be empty
  std::optional<TrainingReport> report;  ///< of the last way, with the steps of those before
  /// What its trainings came to, those of scales alone among them; the settings name what is known.
  std::vector<std::shared_ptr<const TrainedState>> learned;
  std::exception_ptr error;  ///< why it did not run, where it is not for too few samples

  /// Before steps are made of it.
  void choose(const TrainingChoices& wanted) {
    choices = wanted;
    settings = withChoices(std::move(settings), wanted);
  }
  /// Takes labels of `data`, where training is fitted to a part of these. Of another set to
  /// calibrate with they say nothing: it is trained without them then, and a note tells so.
  void takeLabels(const Labels& ofData, const SampleSet& data, const SampleSet& calibration);
};

/// The name of trainingStep().
inline constexpr const char* kTrainingStep = "train";

/// "train": weights, biases, scales and zero points of all layers; see train(). It overwrites
/// `run->report`. `ways`: 2 = also without weights, see withoutWeights().
RepairStep trainingStep(std::shared_ptr<TrainingRun> run, std::size_t ways = 1);

/// "scales": scales and zero points of activations alone, of the network as a whole. Of `run`,
/// which may be null, it has what is known.
RepairStep scalesStep(std::shared_ptr<TrainingRun> run);

/// The steps that a recipe runs unless told otherwise: repairs, then learned scales.
std::vector<RepairStep> recipeSteps(std::shared_ptr<TrainingRun> run = nullptr);
/// These and "train", which is only run when it is asked for.
std::vector<RepairStep> allRecipeSteps(std::shared_ptr<TrainingRun> run);

}  // namespace quantscope
