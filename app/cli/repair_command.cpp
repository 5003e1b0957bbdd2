#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/files/output_folder.h"
#include "data_options.h"
#include "export/json/repair_json.h"
#include "jobs/repair/run_repair.h"
#include "open_data.h"
#include "repair_steps.h"
#include "training_options.h"

namespace quantscope::cli {
namespace {

struct RepairOptions {
  std::string model;
  DataOptions data;
  RepairRequest request;
  std::string steps = "auto";
  TrainingOptions training;
  std::string out;
};

bool trains(const RepairRequest& request) {
  return std::ranges::any_of(request.steps, [](const RepairStep& step) {
    return std::string_view(step.name) == kTrainingStep;
  });
}

}  // namespace

void addRepair(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "repair", "Win back what quantization loses, without labels and wider types");
  auto options = std::make_shared<RepairOptions>();
  addModel(*command, options->model);
  addDataOptions(*command, options->data);
  addCalibrationOptions(*command, options->data);
  addLabelsOption(*command, options->data,
                  "adds accuracy; without --calibration the step train mixes in cross entropy");
  command
      ->add_option_function<std::string>(
          "--steps",
          [options](const std::string& text) {
            readRecipeSteps(text, nullptr);  // what is no step is a mistake of the command line
            options->steps = text;
          },
          "The steps to try, with commas between (default: auto, all but train): " +
              recipeStepNames())
      ->type_name("LIST");
  command
      ->add_option("--only", options->request.only,
                   "Nodes that lead the layers that may change, with commas between (default: all)")
      ->delimiter(',')
      ->type_name("NODES");
  addTimeOption(*command, options->request.seconds,
                "Stop after so many seconds, and keep what was won so far");
  addTrainingOptions(*command, options->training, "Options of the step train");
  command
      ->add_option(
          "--out", options->out,
          "Folder for model.onnx, config.json and repair.json; Ctrl-C writes what was won so far")
      ->required()
      ->type_name("DIR");
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    OutputFolder folder(options->out);  // before there is a result to lose
    requireCheckpoint(options->training);
    const LoadedModel model = loadModel(options->model, job);
    const Configuration config = openConfig(options->data, model);
    const auto training = std::make_shared<TrainingRun>();
    training->choose(choicesOf(options->training));  // the ways of its step depend on it
    options->request.steps = readRecipeSteps(options->steps, training);
    const bool learns = trains(options->request);
    options->data.drawsFromSeed = learns;
    const OpenedData opened = openAllData(options->data, *model.graph, job);
    AnalysisMemory memory(budgetOf(job));
    training->takeLabels(opened.labels, *opened.data, *opened.calibration);
    training->settings.seed = options->data.seed.value_or(0);
    training->settings.checkpoint = options->training.checkpoint;
    options->request.batch = options->data.batch;
    options->request.stop = endingEarly(selection);
    const RepairResult result = runRepair(model, config, *opened.data, *opened.calibration,
                                          opened.labels, options->request, memory, job);
    opened.requireUnchanged();
    const TrainingChoices* choices = learns ? &training->choices : nullptr;
    writeRepair(result, options->out, job, choices);
    folder.keep();
    selection.notices = result.state.model->notices;
    if (selection.common.json) {
      return deliverJson(repairJson(result, choices), *selection.common.json);
    }
    const bool won = std::ranges::any_of(result.steps, &StepReport::kept);
    return repairText(result) + (won ? "repaired: " : "left as it was: ") + options->out + "\n" +
           measureAgainWords(options->model, options->out);
  });
}

}  // namespace quantscope::cli
