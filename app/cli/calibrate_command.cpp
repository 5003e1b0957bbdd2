#include <CLI/CLI.hpp>

#include "base/atomic_file.h"
#include "data_options.h"
#include "export/calibration_json.h"
#include "jobs/quantize_model.h"
#include "open_data.h"

namespace quantscope::cli {
namespace {

struct CalibrateOptions {
  std::string model;
  DataOptions data;
  std::string out;
};

std::string calibrateModel(const CalibrateOptions& options, JobContext& job) {
  const LoadedModel model = loadModel(options.model, job);
  const std::unique_ptr<SampleSource> source =
      openData(options.data, options.data.data, *model.graph);
  const PrecisionConfig config =
      options.data.config ? readPrecisionConfig(*options.data.config) : PrecisionConfig{};
  const CalibratedModel calibrated =
      calibrateAndQuantize(model, config, *source, options.data.batch, job);
  writeFileAtomically(options.out, calibrationJson(*model.graph, calibrated.observations,
                                                   calibrated.model, config));
  return "ranges of " + std::to_string(calibrated.observations.observedCount()) + " values over " +
         std::to_string(source->sampleCount()) + " samples written to " + options.out + "\n";
}

}  // namespace

void addCalibrate(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "calibrate", "Observe ranges and distributions of all values over the samples");
  auto options = std::make_shared<CalibrateOptions>();
  command->add_option("model", options->model, "ONNX model")->required();
  addDataOptions(*command, options->data);
  command->add_option("--config", options->data.config, "Precision configuration (JSON)");
  command
      ->add_option("--batch", options->data.batch,
                   "Samples per calibration batch, for statistics that are defined per batch")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40));
  command->add_option("--out", options->out, "File for the result (JSON)")->required();
  addCommonOptions(*command, selection.common);
  command->callback([&selection, options] {
    selection.run = [options](JobContext& job) { return calibrateModel(*options, job); };
  });
}

}  // namespace quantscope::cli
