#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/files/output_folder.h"
#include "data_options.h"
#include "export/json/repair_json.h"
#include "jobs/repair/run_repair.h"
#include "open_data.h"
#include "repair_steps.h"

namespace quantscope::cli {
namespace {

struct RepairOptions {
  std::string model;
  DataOptions data;
  RepairRequest request;
  std::shared_ptr<TrainingRun> training = std::make_shared<TrainingRun>();
  std::string out;
};

}  // namespace

void addRepair(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "repair", "Win back what quantization loses, without labels and wider types");
  auto options = std::make_shared<RepairOptions>();
  options->request.steps = recipeSteps(options->training);
  addModel(*command, options->model);
  addDataOptions(*command, options->data);
  addCalibrationOptions(*command, options->data);
  addLabelsOption(*command, options->data, "adds accuracy");
  command
      ->add_option_function<std::string>(
          "--steps",
          [options](const std::string& text) {
            options->request.steps = readRecipeSteps(text, options->training);
          },
          "The steps to try, with commas between (default: auto, all but train): " +
              recipeStepNames())
      ->type_name("LIST");
  command
      ->add_option("--only", options->request.only,
                   "Nodes that lead the layers that may change, with commas between (default: all)")
      ->delimiter(',')
      ->type_name("NODES");
  command
      ->add_option("--time", options->request.seconds,
                   "Stop after so many seconds, and keep what was won so far")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");
  command
      ->add_option(
          "--out", options->out,
          "Folder for model.onnx, config.json and repair.json; Ctrl-C writes what was won so far")
      ->required()
      ->type_name("DIR");
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    OutputFolder folder(options->out);  // before there is a result to lose
    const LoadedModel model = loadModel(options->model, job);
    const Configuration config = openConfig(options->data, model);
    const OpenedData opened = openAllData(options->data, *model.graph, job);
    AnalysisMemory memory(budgetOf(job));
    options->request.batch = options->data.batch;
    options->training->labels = opened.labels;
    options->training->settings.seed = options->data.seed;
    options->request.stop = endingEarly(selection);
    const RepairResult result = runRepair(model, config, *opened.data, *opened.calibration,
                                          opened.labels, options->request, memory, job);
    opened.requireUnchanged();
    writeRepair(result, options->out, job);
    folder.keep();
    selection.notices = result.state.model->notices;
    if (selection.common.json) return deliverJson(repairJson(result), *selection.common.json);
    return repairText(result) + "repaired: " + options->out + "\n" +
           measureAgainWords(options->model, options->out);
  });
}

}  // namespace quantscope::cli
