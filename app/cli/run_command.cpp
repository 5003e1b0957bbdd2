#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/number_text.h"
#include "data_options.h"
#include "jobs/quantize_model.h"
#include "jobs/run_model.h"
#include "open_data.h"

namespace quantscope::cli {
namespace {

struct RunOptions {
  std::string model;
  DataOptions data;
  std::string out;
  std::string values = "outputs";
};

/// The written files and their origin.
nlohmann::ordered_json runJson(const RunOptions& options, const SampleSource& source,
                               const std::vector<WrittenValue>& written, std::size_t notComputed) {
  nlohmann::ordered_json json{{"folder", options.out},
                              {"samples", source.sampleCount()},
                              {"synthetic", source.synthetic()}};
  json.update(manifestJson(written));
  json["not_computed"] = notComputed;
  return json;
}

std::string runValues(const RunOptions& options, Selection& selection, JobContext& job) {
  const LoadedModel model = loadModel(options.model, job);
  const std::vector<ValueId> wanted = selectValues(*model.graph, options.values);
  const auto data =
      openStream(options.data, options.data.data, *model.graph, /*acceptsNonFinite=*/true);
  const Configuration config = openConfig(options.data, model);
  OutputFolder out(options.out);
  std::optional<CalibratedModel> quantized;
  std::shared_ptr<SampleSet> calibration = data;
  if (options.data.config) {
    calibration = openCalibrationStream(options.data, *model.graph);
    quantized = calibrateAndQuantize(model, config, *calibration, options.data.batch, job);
    selection.notices = quantized->model.notices;
  }
  const RunResult result =
      runModel(model, *data, wanted, quantized ? &quantized->model.applied : nullptr, out, job,
               [&] { requireUnchanged(*data, *calibration); });
  const std::vector<WrittenValue>& written = result.values;
  for (const NonFiniteInput& input : result.nonFinite) {
    selection.notices.push_back("input '" + input.name + "' holds " +
                                counted(input.count, "number") + " that " +
                                (input.count == 1 ? "is" : "are") + " not finite: NaN or infinite");
  }
  const std::size_t missing = wanted.size() - written.size();
  const std::optional<std::string>& json = selection.common.json;
  if (json) return deliverJson(runJson(options, *data, written, missing), *json);
  std::string text = counted(written.size(), "value") + " of " +
                     counted(data->sampleCount(), sampleWord(*data)) + " written to " +
                     options.out + "\n";
  if (missing > 0) {
    text += counted(missing, "value") + " could not be computed: `inspect` says why\n";
  }
  return text;
}

}  // namespace

void addRun(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand("run", "Run a model and write its values as .npy files");
  auto options = std::make_shared<RunOptions>();
  addModel(*command, options->model);
  addDataOptions(*command, options->data);
  addCalibrationOptions(*command, options->data);
  command->add_option("--out", options->out, "Folder for the results")
      ->required()
      ->type_name("FOLDER");
  command->add_option("--values", options->values, "outputs (default), all, or names: A,B,…")
      ->type_name("NAMES");
  command->parse_complete_callback([command] { requireConfigToCalibrate(*command); });
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    return runValues(*options, selection, job);
  });
}

}  // namespace quantscope::cli
