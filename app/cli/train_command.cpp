#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/files/output_folder.h"
#include "data_options.h"
#include "export/json/training_json.h"
#include "jobs/repair/run_training.h"
#include "open_data.h"
#include "repair_steps.h"
#include "training_options.h"

namespace quantscope::cli {
namespace {

struct TrainOptions {
  std::string model;
  DataOptions data;
  TrainingOptions training;
  TrainingSettings settings;
  std::string out;
};

void addLimits(CLI::App& command, TrainOptions& options) {
  addTimeOption(command, options.settings.seconds,
                "Stop after so many seconds, judging included, with the best state");
  command.get_option("--seed")->description(
      "Of the order of samples, of random rounding, and of random:N (default: 0)");
}

void takeOptions(TrainOptions& options) {
  options.data.drawsFromSeed = true;
  options.settings.seed = options.data.seed.value_or(0);
  options.settings.checkpoint = options.training.checkpoint;
  options.settings = withChoices(std::move(options.settings), choicesOf(options.training));
}

}  // namespace

void addTrain(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "train", "Train weights and scales towards the float network, without labels");
  auto options = std::make_shared<TrainOptions>();
  addModel(*command, options->model);
  addDataOptions(*command, options->data);
  addCalibrationOptions(*command, options->data);
  addLabelsOption(*command, options->data,
                  "adds accuracy, and without --calibration mixes in cross entropy");
  addTrainingOptions(*command, options->training);
  addLimits(*command, *options);
  command
      ->add_option(
          "--out", options->out,
          "Folder for model.onnx, config.json, repair.json and train.json; Ctrl-C writes the "
          "best state so far")
      ->required()
      ->type_name("DIR");
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    takeOptions(*options);
    OutputFolder folder(options->out);  // before there is a result to lose
    requireCheckpoint(options->training);
    const LoadedModel model = loadModel(options->model, job);
    const Configuration config = openConfig(options->data, model);
    const OpenedData opened = openAllData(options->data, *model.graph, job);
    AnalysisMemory memory(budgetOf(job));
    options->settings.stop = endingEarly(selection);
    TrainingResult result =
        runTraining(model, config, *opened.data, *opened.calibration, opened.labels,
                    options->settings, options->data.batch, memory, job);
    result.choices = choicesOf(options->training);
    opened.requireUnchanged();
    writeTraining(result, options->out, job);
    folder.keep();
    selection.notices = result.result.state.model->notices;
    if (selection.common.json) {
      return deliverJson(trainingJson(result.result, result.training, &result.choices),
                         *selection.common.json);
    }
    return trainingText(result.result, result.training) +
           (result.result.steps.front().kept ? "trained: " : "left as it was: ") + options->out +
           "\n" + measureAgainWords(options->model, options->out);
  });
}

}  // namespace quantscope::cli
