#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "data_options.h"
#include "export/repair_json.h"
#include "jobs/run_repair.h"
#include "open_data.h"

namespace quantscope::cli {
namespace {

struct RepairOptions {
  std::string model;
  DataOptions data;
  RepairRequest request;
  std::string out;
};

std::string stepNames() {
  std::string names;
  for (const RepairStep& step : repairSteps()) {
    names += (names.empty() ? "" : ", ") + std::string(step.name);
  }
  return names;
}

// In the order in which they run, whatever the list's.
std::vector<RepairStep> readSteps(const std::string& text) {
  if (text == "auto") return repairSteps();
  std::set<std::string> wanted;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t comma = std::min(text.find(',', first), text.size());
    const std::string name = text.substr(first, comma - first);
    first = comma + 1;
    if (findRepairStep(name) == nullptr) {
      throw CLI::ValidationError("--steps", "'" + name + "' is no step; there are " + stepNames());
    }
    wanted.insert(name);
  }
  std::vector<RepairStep> steps = repairSteps();
  std::erase_if(steps, [&](const RepairStep& step) { return !wanted.contains(step.name); });
  return steps;
}

}  // namespace

void addRepair(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "repair", "Win back what quantization loses, without labels and wider types");
  auto options = std::make_shared<RepairOptions>();
  addModel(*command, options->model);
  addDataOptions(*command, options->data);
  addCalibrationOptions(*command, options->data);
  addLabelsOption(*command, options->data, "adds accuracy");
  command
      ->add_option_function<std::string>(
          "--steps",
          [options](const std::string& text) { options->request.steps = readSteps(text); },
          "The steps to try, with commas between (default: auto, all of them): " + stepNames())
      ->type_name("LIST");
  command
      ->add_option("--time", options->request.seconds,
                   "Stop after so many seconds, and keep what was won so far")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");
  command->add_option("--out", options->out, "Folder for model.onnx, config.json and repair.json")
      ->required()
      ->type_name("DIR");
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    const LoadedModel model = loadModel(options->model, job);
    const Configuration config = openConfig(options->data, model);
    const OpenedData opened = openAllData(options->data, *model.graph, job);
    AnalysisMemory memory(budgetOf(job));
    options->request.batch = options->data.batch;
    const RepairResult result = runRepair(model, config, *opened.data, *opened.calibration,
                                          opened.labels, options->request, memory, job);
    writeRepair(result, options->out, job);
    if (selection.common.json) return deliverJson(repairJson(result), *selection.common.json);
    return repairText(result) + "repaired: " + options->out + "\n";
  });
}

}  // namespace quantscope::cli
