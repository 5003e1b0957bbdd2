#include <CLI/CLI.hpp>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/data_options.h"
#include "app/cli/open_data.h"
#include "app/cli/sensitivity_options.h"
#include "bench/bench_gradients.h"
#include "bench_commands.h"
#include "export/json/json_number.h"

namespace quantscope::cli {
namespace {

struct Options : BenchOptions {
  SensitivityRequest request;
  GradientEstimateSettings settings;
};

std::string gradientsText(const GradientBenchmark& result) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(3) << "threads             " << result.threads
      << "\nfloat pass          " << result.floatPassSeconds << " s for " << result.samples
      << " samples\nthere and back      " << result.forwardBackwardSeconds << " s, to "
      << result.weights << " weights\nbackward pass       " << result.backwardMilliseconds()
      << " ms per sample\n";
  if (result.rows > 0) {
    out << "estimate            " << result.estimateSeconds << " s, " << std::setprecision(1)
        << result.estimateEquivalents() << " float passes, " << result.probes << " probes\n"
        << "measured            " << std::setprecision(3) << result.measureSeconds << " s\n"
        << "rows                " << result.estimated << " of " << result.rows << " estimated\n";
    if (result.spearman) out << "rank correlation    " << *result.spearman << "\n";
    if (result.medianErrorDb) {
      out << "median error        " << std::setprecision(2) << *result.medianErrorDb << " dB\n";
    }
  }
  out << std::setprecision(1) << "peak memory         " << result.peakRssMib << " MiB\n";
  return out.str();
}

nlohmann::ordered_json gradientsJson(const GradientBenchmark& result) {
  nlohmann::ordered_json json{{"threads", result.threads},
                              {"samples", result.samples},
                              {"weights", result.weights},
                              {"float_pass_seconds", result.floatPassSeconds},
                              {"forward_backward_seconds", result.forwardBackwardSeconds},
                              {"backward_ms_per_sample", result.backwardMilliseconds()}};
  if (result.rows > 0) {
    json["rows"] = result.rows;
    json["estimated"] = result.estimated;
    json["probes"] = result.probes;
    json["estimate_seconds"] = result.estimateSeconds;
    json["estimate_forward_equivalents"] = result.estimateEquivalents();
    json["measure_seconds"] = result.measureSeconds;
    json["spearman"] = jsonNumber(result.spearman);
    json["median_error_db"] = jsonNumber(result.medianErrorDb);
  }
  json["peak_rss_mib"] = result.peakRssMib;
  return json;
}

}  // namespace

void addBenchGradients(CLI::App& bench, Selection& selection) {
  CLI::App* command = bench.add_subcommand(
      "gradients",
      "Backward passes to all weights; with --types also sensitivity estimated by them, beside the "
      "measured one");
  auto options = std::make_shared<Options>();
  addBenchOptions(*command, *options, "random:8");
  addConfigOption(*command, options->data);
  addTypesOption(*command, options->request.types, "Types to estimate each layer in");
  addProbesOption(*command, options->settings.probes);
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    const LoadedModel model = loadModel(options->model, job);
    const Configuration config = openConfig(options->data, model);
    SampleSet samples(openData(options->data, options->data.data, *model.graph));
    const GradientBenchmark result =
        benchGradients(model, config, samples, options->request, options->settings, job);
    return selection.common.json ? deliverJson(gradientsJson(result), *selection.common.json)
                                 : gradientsText(result);
  });
}

}  // namespace quantscope::cli
