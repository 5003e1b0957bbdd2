#include <CLI/CLI.hpp>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/bench_calibration.h"
#include "bench_commands.h"
#include "data_options.h"
#include "open_data.h"

namespace quantscope::cli {
namespace {

std::string resultText(const CalibrationBenchmark& result) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << "threads             " << result.threads
      << "\nsamples             " << result.samples << " in " << result.seconds
      << " s\npeak memory         " << result.peakRssMib << " MiB, "
      << 100 * result.fractionOfLimit() << " % of the limit\none sample a thread "
      << result.samplePerThreadRssMib << " MiB\nobservations        " << result.observationsMib
      << " MiB\nlimit               " << result.limitMib << " MiB\n";
  return out.str();
}

nlohmann::ordered_json resultJson(const CalibrationBenchmark& result) {
  return {{"threads", result.threads},
          {"samples", result.samples},
          {"seconds", result.seconds},
          {"peak_rss_mib", result.peakRssMib},
          {"sample_per_thread_rss_mib", result.samplePerThreadRssMib},
          {"observations_mib", result.observationsMib},
          {"limit_mib", result.limitMib},
          {"fraction_of_limit", result.fractionOfLimit()}};
}

}  // namespace

void addBenchCalibration(CLI::App& bench, Selection& selection) {
  CLI::App* command = bench.add_subcommand(
      "calibration", "Calibration: time, and peak memory without the model's own");
  auto options = std::make_shared<BenchOptions>();
  addBenchOptions(*command, *options, "random:1000");
  addBatchOption(*command, options->data);
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    const LoadedModel model = loadModel(options->model, job);
    const std::unique_ptr<SampleSource> source =
        openData(options->data, options->data.data, *model.graph);
    ObservationSettings settings;
    settings.batch = options->data.batch;
    const CalibrationBenchmark result = benchCalibration(model, *source, settings, job);
    return selection.common.json ? deliverJson(resultJson(result), *selection.common.json)
                                 : resultText(result);
  });
}

}  // namespace quantscope::cli
