#pragma once

#include <memory>
#include <string>

#include "command.h"
#include "training/training_choices.h"

namespace quantscope::cli {

/// What a command line chooses of a training.
struct TrainingOptions {
  TrainingChoices choices;
  std::shared_ptr<CheckpointStore> checkpoint;  ///< null = none is written
  std::string scales = "log";
};

/// --training-steps, --training-batch, --scales, --freeze, --no-fake-quantize, --freeze-observers,
/// --freeze-observers-after, --freeze-weights, --stochastic, --checkpoint. `interrupted`: what
/// Ctrl-C does without a checkpoint. `group`: the heading of the options in the help; empty = that
/// of the others.
void addTrainingOptions(CLI::App& command, TrainingOptions& options, const std::string& interrupted,
                        const std::string& group = {});

/// The choices, once the command line is read.
TrainingChoices choicesOf(const TrainingOptions& options);

}  // namespace quantscope::cli
