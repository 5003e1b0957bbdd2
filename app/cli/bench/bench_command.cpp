#include <CLI/CLI.hpp>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/data_options.h"
#include "app/cli/open_data.h"
#include "bench/bench_engine.h"
#include "bench_commands.h"

namespace quantscope::cli {
namespace {

constexpr double kDefaultSeconds = 3;

std::string benchText(const EngineBenchmark& result) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(3) << "threads             " << result.threads
      << "\none sample          " << result.millisecondsPerSample << " ms on one thread, "
      << result.latencyMilliseconds << " ms on all\n"
      << std::setprecision(1) << "throughput          " << result.samplesPerSecond
      << " samples/s\narithmetic          " << result.gflopPerSecond << " of "
      << result.peakGflopPerSecond << " GFLOP/s\npeak memory         " << result.peakRssMib
      << " MiB\n";
  return out.str();
}

nlohmann::ordered_json benchJson(const EngineBenchmark& result) {
  return {{"threads", result.threads},
          {"ms_per_sample", result.millisecondsPerSample},
          {"latency_ms", result.latencyMilliseconds},
          {"samples_per_s", result.samplesPerSecond},
          {"gflop_per_s", result.gflopPerSecond},
          {"peak_gflop_per_s", result.peakGflopPerSecond},
          {"peak_rss_mib", result.peakRssMib}};
}

struct EngineOptions : BenchOptions {
  double seconds = kDefaultSeconds;
};

}  // namespace

void addBenchOptions(CLI::App& command, BenchOptions& options, const char* samples) {
  options.data.data = samples;
  addModel(command, options.model);
  addDataOptions(command, options.data);
  command.get_option("--data")->required(false);
}

void addBench(CLI::App& app, Selection& selection) {
  CLI::App* bench = app.add_subcommand("bench", "Measure the speed of the program's parts");
  bench->require_subcommand(1);
  addBenchKernels(*bench, selection);
  addBenchSensitivity(*bench, selection);
  addBenchGradients(*bench, selection);
  addBenchRepair(*bench, selection);
  addBenchTraining(*bench, selection);
  addBenchLayers(*bench, selection);
  addBenchCalibration(*bench, selection);
  addBenchEdit(*bench, selection);
  addBenchExport(*bench, selection);
  addBenchFindings(*bench, selection);
  CLI::App* engine = bench->add_subcommand("engine", "Float inference: latency and throughput");
  auto options = std::make_shared<EngineOptions>();
  addBenchOptions(*engine, *options, "random:4");
  engine->add_option("--seconds", options->seconds, "How long each measurement takes")
      ->check(CLI::Range(0.1, 600.0, "0.1 to 600"))
      ->type_name("SECONDS");
  bindCommand(*engine, selection, [&selection, options](JobContext& job) {
    const LoadedModel model = loadModel(options->model, job);
    const std::unique_ptr<SampleSource> source =
        openData(options->data, options->data.data, *model.graph);
    const EngineBenchmark result = benchEngine(model, *source, options->seconds, job);
    return selection.common.json ? deliverJson(benchJson(result), *selection.common.json)
                                 : benchText(result);
  });
}

}  // namespace quantscope::cli
