#include <CLI/CLI.hpp>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/data_options.h"
#include "app/cli/open_data.h"
#include "bench/bench_findings.h"
#include "bench_commands.h"

namespace quantscope::cli {
namespace {

std::string resultText(const FindingsBenchmark& result) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(3) << "nodes               " << result.nodes
      << "\ndetectors           " << result.detectSeconds << " s (median)\nfindings            "
      << result.findings << "\nsimulation          " << result.simulateSeconds << " s, "
      << result.simulated << " suggestions on " << result.samples << " samples, "
      << result.estimated << " of them estimated\nfloat pass          " << result.floatPassSeconds
      << " s; the simulation takes " << std::setprecision(1) << result.floatPasses()
      << " of them\n";
  return out.str();
}

nlohmann::ordered_json resultJson(const FindingsBenchmark& result) {
  return {{"nodes", result.nodes},
          {"samples", result.samples},
          {"findings", result.findings},
          {"detect_seconds", result.detectSeconds},
          {"simulated", result.simulated},
          {"simulate_seconds", result.simulateSeconds},
          {"estimated", result.estimated},
          {"float_pass_seconds", result.floatPassSeconds},
          {"float_passes", result.floatPasses()}};
}

}  // namespace

void addBenchFindings(CLI::App& bench, Selection& selection) {
  CLI::App* command = bench.add_subcommand(
      "findings",
      "Time of all detectors on a calibrated model, and of the simulation of their suggestions");
  auto options = std::make_shared<BenchOptions>();
  addBenchOptions(*command, *options, "random:4");
  addConfigOption(*command, options->data);
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    const LoadedModel model = loadModel(options->model, job);
    const Configuration config = openConfig(options->data, model);
    SampleSet samples(openData(options->data, options->data.data, *model.graph));
    const FindingsBenchmark result = benchFindings(model, config, samples, job);
    return selection.common.json ? deliverJson(resultJson(result), *selection.common.json)
                                 : resultText(result);
  });
}

}  // namespace quantscope::cli
