#pragma once

#include <string>
#include <vector>

#include "training/training_steps.h"

namespace quantscope::cli {

/// The names of all steps of a recipe, those that are only run when asked for behind the others.
std::string recipeStepNames();

/// LIST of --steps: names with commas between, or "auto", all that run unless told otherwise. The
/// steps come in the order in which they run, whatever the list's; `run`: for "train". Throws
/// CLI::ValidationError for names that are no steps.
std::vector<RepairStep> readRecipeSteps(const std::string& text, std::shared_ptr<TrainingRun> run);

/// A line on how to measure what was written to the folder `out` against `model`, which it was made
/// of: the repaired model is no float twin of it, since it makes up for quantization.
std::string measureAgainWords(const std::string& model, const std::string& out);

}  // namespace quantscope::cli
