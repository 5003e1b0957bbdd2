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

std::string benchText(const EngineBenchmark& result, const Graph& graph) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(3) << "threads             " << result.threads
      << "\none sample          " << result.millisecondsPerSample << " ms on one thread, "
      << result.latencyMilliseconds << " ms on all\n"
      << std::setprecision(1) << "throughput          " << result.samplesPerSecond
      << " samples/s\narithmetic          " << result.gflopPerSecond << " of "
      << result.peakGflopPerSecond << " GFLOP/s\npeak memory         " << result.peakRssMib
      << " MiB\n";
  if (!result.slowest.empty()) {
    out << "slowest nodes       share, milliseconds and GFLOP/s (of "
        << result.onePeakGflopPerSecond
        << ") on one thread; 3 x 3 filters may take fewer operations than count\n";
  }
  for (const NodeSpeed& speed : result.slowest) {
    out << std::setw(6) << 100 * speed.share << " %" << std::setprecision(3) << std::setw(10)
        << speed.millisecondsPerSample << std::setprecision(1) << std::setw(9);
    if (speed.gflopPerSecond) {
      out << *speed.gflopPerSecond;
    } else {
      out << "-";
    }
    out << "  " << graph[speed.node].op << ' ' << graph[speed.node].name << '\n';
  }
  return out.str();
}

nlohmann::ordered_json slowestJson(const std::vector<NodeSpeed>& slowest, const Graph& graph) {
  auto nodes = nlohmann::ordered_json::array();
  for (const NodeSpeed& speed : slowest) {
    nodes.push_back({{"node", graph[speed.node].name},
                     {"op", graph[speed.node].op},
                     {"ms_per_sample", speed.millisecondsPerSample},
                     {"share", speed.share},
                     {"gflop_per_s", nullptr}});
    if (speed.gflopPerSecond) nodes.back()["gflop_per_s"] = *speed.gflopPerSecond;
  }
  return nodes;
}

nlohmann::ordered_json benchJson(const EngineBenchmark& result, const Graph& graph) {
  nlohmann::ordered_json json{{"threads", result.threads},
                              {"ms_per_sample", result.millisecondsPerSample},
                              {"latency_ms", result.latencyMilliseconds},
                              {"samples_per_s", result.samplesPerSecond},
                              {"gflop_per_s", result.gflopPerSecond},
                              {"peak_gflop_per_s", result.peakGflopPerSecond},
                              {"peak_rss_mib", result.peakRssMib}};
  if (!result.slowest.empty()) {
    json["slowest"] = slowestJson(result.slowest, graph);
    json["one_peak_gflop_per_s"] = result.onePeakGflopPerSecond;
  }
  return json;
}

struct EngineOptions : BenchOptions {
  double seconds = kDefaultSeconds;
  std::size_t slowest = 0;
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
  engine->add_option("--slowest", options->slowest, "Name the N nodes that take the most time")
      ->check(CLI::Range(1, 1000000, "1 to 1000000"))
      ->type_name("N");
  bindCommand(*engine, selection, [&selection, options](JobContext& job) {
    const LoadedModel model = loadModel(options->model, job);
    const std::unique_ptr<SampleSource> source =
        openData(options->data, options->data.data, *model.graph);
    const EngineBenchmark result =
        benchEngine(model, *source, options->seconds, options->slowest, job);
    return selection.common.json
               ? deliverJson(benchJson(result, *model.graph), *selection.common.json)
               : benchText(result, *model.graph);
  });
}

}  // namespace quantscope::cli
