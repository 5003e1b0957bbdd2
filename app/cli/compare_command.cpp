#include <CLI/CLI.hpp>

#include "base/error.h"
#include "data_options.h"
#include "jobs/compare/compare_files.h"
#include "jobs/export/onnx_runtime.h"
#include "jobs/quantize_model.h"
#include "open_data.h"

namespace quantscope::cli {
namespace {

struct CompareOptions {
  std::string first;
  std::string second;
  DataOptions data;
  std::optional<std::filesystem::path> matches;
  std::optional<std::filesystem::path> onnxRuntime;
  std::string out;
};

bool comparesDumps(const CompareOptions& options) {
  return std::filesystem::is_directory(options.second);
}

// Dumps are compared with the float network, or with the simulation of a configuration.
void requireUseOfSimulation(const CompareOptions& options, const CLI::App& command) {
  if (comparesDumps(options)) return requireConfigToCalibrate(command);
  for (const char* option : {"--config", "--calibration", "--batch"}) {
    if (command.count(option) == 0) continue;
    throw CLI::ValidationError(option, "two models run as they are: only dumps have a use for it");
  }
}

Labels labelsOf(const DataOptions& options) {
  if (!options.labels) return {};
  return {readLabels(*options.labels), *options.labels};
}

ComparisonReport compareDumps(const CompareOptions& options, const LoadedModel& model,
                              const NamedMatches& byHand, Selection& selection, JobContext& job) {
  if (options.onnxRuntime) {
    throw Error(ErrorCode::InvalidParameters, "dumps have no times",
                {.file = options.second, .node = {}, .value = {}}, "leave --ort out");
  }
  std::optional<CalibratedModel> simulation;
  std::shared_ptr<SampleSet> calibration;
  if (options.data.config) {
    calibration = openCalibrationStream(options.data, *model.graph);
    simulation = calibrateAndQuantize(model, openConfig(options.data, model), *calibration,
                                      options.data.batch, job);
    selection.notices = simulation->model.notices;
  }
  const Labels labels = labelsOf(options.data);
  const auto data = openStream(options.data, options.data.data, *model.graph);
  OutputFolder out(options.out);
  const ComparedFiles compared =
      compareWithDumps(model, simulation ? &simulation->model.applied : nullptr, options.second,
                       *data, labels, byHand, job);
  requireUnchanged(*data, calibration ? *calibration : *data, labels);
  return writeDumpComparison(compared, out, job);
}

std::string compare(const CompareOptions& options, Selection& selection, JobContext& job) {
  const NamedMatches byHand = options.matches ? readMatches(*options.matches) : NamedMatches();
  const LoadedModel first = loadModel(options.first, job);
  const std::optional<std::string>& json = selection.common.json;
  if (comparesDumps(options)) {
    const ComparisonReport report = compareDumps(options, first, byHand, selection, job);
    return json ? deliverText(report.json, *json) : report.text;
  }
  if (options.onnxRuntime) requireOnnxRuntime(*options.onnxRuntime);
  const LoadedModel second = loadModel(options.second, job);
  const Labels labels = labelsOf(options.data);
  const auto data = openStream(options.data, options.data.data, *first.graph);
  OutputFolder out(options.out);
  const ComparedFiles compared =
      compareLoaded(first, second, *data, labels, byHand, job, options.onnxRuntime);
  requireUnchanged(*data, *data, labels);
  const ComparisonReport report = writeComparison(compared, out, job);
  return json ? deliverText(report.json, *json) : report.text;
}

}  // namespace

void addCompare(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "compare", "Match the values of two models, and name the layers that are wrong");
  auto options = std::make_shared<CompareOptions>();
  command->add_option("FLOAT", options->first, "ONNX model")->required()->type_name("");
  command
      ->add_option(
          "QUANTIZED", options->second,
          "The quantized model, made by any tool; another version of the first; or a folder "
          "with dumps of a device and a manifest.json")
      ->required()
      ->type_name("");
  addDataOptions(*command, options->data);
  addCalibrationOptions(*command, options->data);
  addLabelsOption(*command, options->data, "gives accuracy");
  command
      ->add_option("--matches", options->matches,
                   "Values that match, by hand: a compare.json, or a part of one")
      ->type_name("FILE");
  command
      ->add_option("--ort", options->onnxRuntime,
                   "Folder with ONNX Runtime's npm package onnxruntime-node, to time the models; "
                   "default: $QUANTSCOPE_PEERS, else where Node looks")
      ->type_name("FOLDER");
  command->add_option("--out", options->out, "Folder for compare.json")
      ->required()
      ->type_name("FOLDER");
  command->parse_complete_callback(
      [command, options] { requireUseOfSimulation(*options, *command); });
  bindCommand(*command, selection,
              [&selection, options](JobContext& job) { return compare(*options, selection, job); });
}

}  // namespace quantscope::cli
