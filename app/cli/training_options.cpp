#include "training_options.h"

#include <CLI/CLI.hpp>
#include <vector>

#include "validators.h"

namespace quantscope::cli {
namespace {

using Added = std::vector<CLI::Option*>;

void addCourseOptions(CLI::App& command, TrainingOptions& options, Added& added) {
  added.push_back(
      command
          .add_option(
              "--training-steps", options.choices.steps,
              "Steps of the whole network; each block takes a third of it before (default: 600 to "
              "3000, more for small networks)")
          ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}))
          ->type_name("N"));
  added.push_back(
      command.add_option("--training-batch", options.choices.batch, "Samples of a step")
          ->check(CLI::Range(std::size_t{1}, std::size_t{4096}))
          ->type_name("N")
          ->capture_default_str());
  added.push_back(
      command
          .add_option_function<std::string>(
              "--checkpoint",
              [&options](const std::string& file) {
                options.checkpoint = std::make_shared<CheckpointFile>(file);
              },
              "Written while training, and where Ctrl-C or the time ends it with the best state; "
              "resumed from where it exists")
          ->type_name("FILE"));
}

void addQuantizerOptions(CLI::App& command, TrainingOptions& options, Added& added) {
  TrainingChoices& choices = options.choices;
  added.push_back(
      command
          .add_option("--scales", options.scales,
                      "How scales are learned: their logarithm, themselves, or powers of two")
          ->check(CLI::IsMember({"log", "lsq", "tqt"}))
          ->capture_default_str());
  added.push_back(command.add_option("--freeze", choices.frozen, "Layers that stay as they are")
                      ->delimiter(',')
                      ->type_name("NAMES"));
  added.push_back(command
                      .add_option("--no-fake-quantize", choices.unquantized,
                                  "Layers that are not quantized while training")
                      ->delimiter(',')
                      ->type_name("NAMES"));
  added.push_back(command
                      .add_option("--freeze-observers", choices.unobserved,
                                  "Layers whose scales and zero points stay as they are; others "
                                  "are learned, from the configuration's encodings where it has "
                                  "some")
                      ->delimiter(',')
                      ->type_name("NAMES"));
  added.push_back(command
                      .add_option("--freeze-observers-after", choices.freezeObserversAfter,
                                  "Scales and zero points stay from this step of the network on")
                      ->type_name("STEP"));
  added.push_back(
      command.add_flag("--freeze-weights", choices.keepsWeights,
                       "Learn biases, scales and zero points alone: for few samples and few bits"));
  added.push_back(
      command
          .add_option("--stochastic", choices.stochastic,
                      "Round at random while training, at this temperature (1: right on average)")
          ->check(CLI::Range(0.01, 100.0))
          ->type_name("TEMPERATURE"));
}

}  // namespace

void addTrainingOptions(CLI::App& command, TrainingOptions& options, const std::string& group) {
  Added added;
  addCourseOptions(command, options, added);
  addQuantizerOptions(command, options, added);
  if (group.empty()) return;
  for (CLI::Option* option : added) option->group(group);
}

void addTimeOption(CLI::App& command, std::optional<double>& seconds, const std::string& use) {
  command.add_option("--time", seconds, use)->check(secondsAboveZero())->type_name("SECONDS");
}

void requireCheckpoint(const TrainingOptions& options) {
  if (options.checkpoint) options.checkpoint->requireWritable();
}

TrainingChoices choicesOf(const TrainingOptions& options) {
  TrainingChoices choices = options.choices;
  choices.scales = scaleFormFromName(options.scales).value();
  return choices;
}

}  // namespace quantscope::cli
