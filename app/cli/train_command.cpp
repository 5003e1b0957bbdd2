#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/files/output_folder.h"
#include "data_options.h"
#include "export/json/training_json.h"
#include "jobs/repair/run_training.h"
#include "open_data.h"
#include "repair_steps.h"

namespace quantscope::cli {
namespace {

struct TrainOptions {
  std::string model;
  DataOptions data;
  TrainingSettings settings;
  TrainingChoices choices;
  std::string scales = "log";
  std::string out;
};

void addTrainingOptions(CLI::App& command, TrainOptions& options) {
  TrainingSettings& settings = options.settings;
  command
      .add_option(
          "--training-steps", options.choices.steps,
          "Steps of the whole network; each block takes a third of it before (default: 600 to "
          "3000, more for small networks)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}))
      ->type_name("N");
  command.add_option("--training-batch", options.choices.batch, "Samples of a step")
      ->check(CLI::Range(std::size_t{1}, std::size_t{4096}))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--time", settings.seconds, "Stop after so many seconds with the best state")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");
  command.get_option("--seed")->description(
      "Of the order of samples, of random rounding, and of random:N (default: 0)");
  command
      .add_option_function<std::string>(
          "--checkpoint",
          [&settings](const std::string& file) {
            settings.checkpoint = std::make_shared<CheckpointFile>(file);
          },
          "Written while training and by Ctrl-C; resumed from where it exists. Without it, Ctrl-C "
          "ends training with the best state")
      ->type_name("FILE");
}

void addQuantizerOptions(CLI::App& command, TrainOptions& options) {
  TrainingChoices& choices = options.choices;
  command
      .add_option("--scales", options.scales,
                  "How scales are learned: their logarithm, themselves, or powers of two")
      ->check(CLI::IsMember({"log", "lsq", "tqt"}))
      ->capture_default_str();
  command.add_option("--freeze", choices.frozen, "Layers that stay as they are")
      ->delimiter(',')
      ->type_name("NAMES");
  command
      .add_option("--no-fake-quantize", choices.unquantized,
                  "Layers that are not quantized while training")
      ->delimiter(',')
      ->type_name("NAMES");
  command
      .add_option("--freeze-observers", choices.unobserved,
                  "Layers whose scales and zero points stay as they are")
      ->delimiter(',')
      ->type_name("NAMES");
  command
      .add_option("--freeze-observers-after", choices.freezeObserversAfter,
                  "Scales and zero points stay from this step of the network on")
      ->type_name("STEP");
  command.add_flag("--freeze-weights", choices.keepsWeights,
                   "Learn biases, scales and zero points alone: for few samples and few bits");
  command
      .add_option("--stochastic", choices.stochastic,
                  "Round at random while training, at this temperature (1: right on average)")
      ->check(CLI::Range(0.01, 100.0))
      ->type_name("TEMPERATURE");
}

void takeOptions(TrainOptions& options) {
  options.choices.scales = scaleFormFromName(options.scales).value();
  options.settings.seed = options.data.seed;
  options.settings = withChoices(std::move(options.settings), options.choices);
}

}  // namespace

void addTrain(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "train", "Train weights and scales towards the float network, without labels");
  auto options = std::make_shared<TrainOptions>();
  addModel(*command, options->model);
  addDataOptions(*command, options->data);
  addCalibrationOptions(*command, options->data);
  addLabelsOption(*command, options->data, "mixes in cross entropy, and adds accuracy");
  addTrainingOptions(*command, *options);
  addQuantizerOptions(*command, *options);
  command
      ->add_option("--out", options->out,
                   "Folder for model.onnx, config.json, repair.json and train.json")
      ->required()
      ->type_name("DIR");
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    takeOptions(*options);
    OutputFolder folder(options->out);  // before there is a result to lose
    const LoadedModel model = loadModel(options->model, job);
    const Configuration config = openConfig(options->data, model);
    const OpenedData opened = openAllData(options->data, *model.graph, job);
    AnalysisMemory memory(budgetOf(job));
    // With a checkpoint it is cancelled, and goes on from there another time.
    if (options->settings.checkpoint == nullptr) options->settings.stop = endingEarly(selection);
    const TrainingResult result =
        runTraining(model, config, *opened.data, *opened.calibration, opened.labels,
                    options->settings, options->data.batch, memory, job);
    opened.requireUnchanged();
    writeTraining(result, options->out, job);
    folder.keep();
    selection.notices = result.result.state.model->notices;
    if (selection.common.json) {
      return deliverJson(trainingJson(result.result, result.training), *selection.common.json);
    }
    return trainingText(result.result, result.training) +
           (result.result.steps.front().kept ? "trained: " : "left as it was: ") + options->out +
           "\n" + measureAgainWords(options->model, options->out);
  });
}

}  // namespace quantscope::cli
