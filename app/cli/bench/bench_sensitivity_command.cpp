#include <CLI/CLI.hpp>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/data_options.h"
#include "app/cli/open_data.h"
#include "app/cli/sensitivity_options.h"
#include "bench/bench_sensitivity.h"
#include "bench_commands.h"

namespace quantscope::cli {
namespace {

struct SensitivityBenchOptions : BenchOptions {
  SensitivityRequest request;
};

std::string resultText(const SensitivityBenchmark& result) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << "layers              " << result.nodes << " in "
      << result.types << " types on " << result.samples << " samples\ntime                "
      << result.seconds << " s, a float pass " << result.floatPassSeconds
      << " s\nforward equivalents " << result.forwardEquivalents() << ", the cones alone "
      << result.conePasses << "\nfirst ranking       " << result.firstRankingSeconds << " s, "
      << 100 * result.firstRankingShare() << " % of the time, on " << result.firstRankingSamples
      << " samples: " << result.topFound << " of the top " << result.top << "\npeak memory         "
      << result.peakRssMib << " MiB\n";
  return out.str();
}

nlohmann::ordered_json resultJson(const SensitivityBenchmark& result) {
  return {{"nodes", result.nodes},
          {"types", result.types},
          {"samples", result.samples},
          {"seconds", result.seconds},
          {"float_pass_seconds", result.floatPassSeconds},
          {"forward_equivalents", result.forwardEquivalents()},
          {"cone_passes", result.conePasses},
          {"first_ranking_seconds", result.firstRankingSeconds},
          {"first_ranking_share", result.firstRankingShare()},
          {"first_ranking_samples", result.firstRankingSamples},
          {"first_ranking_top_found", result.topFound},
          {"first_ranking_top", result.top},
          {"peak_rss_mib", result.peakRssMib}};
}

}  // namespace

void addBenchSensitivity(CLI::App& bench, Selection& selection) {
  CLI::App* command = bench.add_subcommand(
      "sensitivity", "All layers in some types, one at a time, beside a float pass");
  auto options = std::make_shared<SensitivityBenchOptions>();
  addBenchOptions(*command, *options, "random:16");
  addConfigOption(*command, options->data);
  addSensitivityOptions(*command, options->request);
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    const LoadedModel model = loadModel(options->model, job);
    const Configuration config = openConfig(options->data, model);
    SampleSet samples(openData(options->data, options->data.data, *model.graph));
    const SensitivityBenchmark result =
        benchSensitivity(model, config, samples, options->request, job);
    return selection.common.json ? deliverJson(resultJson(result), *selection.common.json)
                                 : resultText(result);
  });
}

}  // namespace quantscope::cli
