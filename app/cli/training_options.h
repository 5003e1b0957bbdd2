#pragma once

#include <memory>
#include <optional>
#include <string>

#include "command.h"
#include "training/training_choices.h"

namespace quantscope::cli {

/// What a command line chooses of a training.
struct TrainingOptions {
  TrainingChoices choices;
  std::shared_ptr<CheckpointFile> checkpoint;  ///< null = none is written
  std::string scales = "log";
};

/// --training-steps, --training-batch, --scales, --freeze, --no-fake-quantize, --freeze-observers,
/// --freeze-observers-after, --freeze-weights, --stochastic, --checkpoint. `group`: the heading of
/// the options in the help; empty = that of the others.
void addTrainingOptions(CLI::App& command, TrainingOptions& options, const std::string& group = {});

/// --time, a limit above 0; `use`: what it does.
void addTimeOption(CLI::App& command, std::optional<double>& seconds, const std::string& use);

/// Before there is anything to lose: throws Error(Io) where a checkpoint is to be written, and
/// cannot be.
void requireCheckpoint(const TrainingOptions& options);

/// The choices, once the command line is read.
TrainingChoices choicesOf(const TrainingOptions& options);

}  // namespace quantscope::cli
