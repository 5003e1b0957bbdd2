#include <CLI/CLI.hpp>
#include <span>

#include "base/files/atomic_file.h"
#include "base/number_text.h"
#include "data_options.h"
#include "engine/plan.h"
#include "export/json/calibration_json.h"
#include "jobs/quantize_model.h"
#include "open_data.h"

namespace quantscope::cli {
namespace {

struct CalibrateOptions {
  std::string model;
  DataOptions data;
  std::string out;
};

std::string calibrateModel(const CalibrateOptions& options, Selection& selection, JobContext& job) {
  const LoadedModel model = loadModel(options.model, job);
  const auto data = openStream(options.data, options.data.data, *model.graph);
  const Configuration config = openConfig(options.data, model);
  AtomicFile out(options.out);  // before the long part, so that a wrong path is told at once
  const CalibratedModel calibrated =
      calibrateAndQuantize(model, config, *data, options.data.batch, job);
  selection.notices = calibrated.model.notices;
  const std::size_t missing = planForAllValues(*model.engine).notComputed().size();
  if (missing > 0) {
    selection.notices.push_back(counted(missing, "value") + " could not be computed and " +
                                (missing == 1 ? "has" : "have") + " no range: `inspect` says why");
  }
  const std::string json = calibrationJson(*model.graph, calibrated.observations, calibrated.model,
                                           *config.precision, data->synthetic(), job);
  job.throwIfCancelled();
  data->requireUnchanged();
  out.append(std::as_bytes(std::span(json)));
  out.commit(AtomicFile::Durability::OnDisk);
  if (selection.common.json) return deliverText(json, *selection.common.json);
  return "ranges of " + counted(calibrated.observations.observedCount(), "value") + " over " +
         counted(data->sampleCount(), sampleWord(*data)) + " written to " + options.out + "\n";
}

}  // namespace

void addCalibrate(CLI::App& app, Selection& selection) {
  CLI::App* command = app.add_subcommand(
      "calibrate", "Observe ranges and distributions of all values over the samples");
  auto options = std::make_shared<CalibrateOptions>();
  addModel(*command, options->model);
  addDataOptions(*command, options->data);
  addConfigOption(*command, options->data);
  addBatchOption(*command, options->data);
  command->add_option("--out", options->out, "File for the result (JSON)")
      ->required()
      ->type_name("FILE");
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    return calibrateModel(*options, selection, job);
  });
}

}  // namespace quantscope::cli
