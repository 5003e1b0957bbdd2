#include <CLI/CLI.hpp>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/data_options.h"
#include "app/cli/open_data.h"
#include "bench/bench_calibration.h"
#include "bench_commands.h"

namespace quantscope::cli {
namespace {

std::string resultText(const CalibrationBenchmark& result) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << "threads             " << result.threads
      << "\nsamples             " << result.samples << " in " << result.seconds
      << " s\npeak memory         " << result.peakRssMib << " MiB, "
      << 100 * result.fractionOfLimit() << " % of the limit\none sample a thread "
      << result.samplePerThreadRssMib << " MiB\nobservations        " << result.observationsMib
      << " MiB\nlimit               " << result.limitMib << " MiB\nfloat pass          "
      << result.floatPassSeconds << " s: calibration takes " << result.floatPasses()
      << " of them, an analysis " << result.analysisFloatPasses() << "\n";
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
          {"fraction_of_limit", result.fractionOfLimit()},
          {"float_pass_seconds", result.floatPassSeconds},
          {"float_passes", result.floatPasses()},
          {"analysis_float_passes", result.analysisFloatPasses()}};
}

}  // namespace

void addBenchCalibration(CLI::App& bench, Selection& selection) {
  CLI::App* command = bench.add_subcommand(
      "calibration",
      "Calibration: time beside that of a float pass, peak memory beside what the model takes");
  auto options = std::make_shared<BenchOptions>();
  addBenchOptions(*command, *options, "random:1000");
  addBatchOption(*command, options->data);
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    const LoadedModel model = loadModel(options->model, job);
    // Nothing is kept, so that the peak is that of calibration.
    SampleSet samples(openData(options->data, options->data.data, *model.graph), 0);
    ObservationSettings settings;
    settings.batch = options->data.batch;
    const CalibrationBenchmark result = benchCalibration(model, samples, settings, job);
    return selection.common.json ? deliverJson(resultJson(result), *selection.common.json)
                                 : resultText(result);
  });
}

}  // namespace quantscope::cli
