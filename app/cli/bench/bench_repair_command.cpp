#include <CLI/CLI.hpp>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/data_options.h"
#include "app/cli/open_data.h"
#include "bench/bench_repair.h"
#include "bench_commands.h"
#include "export/json/json_number.h"

namespace quantscope::cli {
namespace {

std::string resultText(const RepairBenchmark& result) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << "time                " << result.seconds << " s for "
      << result.samples << " samples, a float pass " << result.floatPassSeconds
      << " s\nforward equivalents " << result.forwardEquivalents() << "\nworst output        "
      << result.startDb << " → " << result.endDb << " dB held out\n";
  for (const StepReport& step : result.steps) {
    out << std::left << std::setw(20) << step.step << std::right << step.seconds << " s";
    if (step.gainHeldOutDb) out << ", " << std::showpos << *step.gainHeldOutDb << " dB";
    out << std::noshowpos << (step.kept ? ", kept\n" : "\n");
  }
  if (result.gramRoundingDb && result.adaRoundDb) {
    out << "rounding alone      " << *result.gramRoundingDb << " dB in the Gram domain, "
        << *result.adaRoundDb << " dB by AdaRound\n";
  }
  out << "peak memory         " << result.peakRssMib << " MiB\n";
  return out.str();
}

nlohmann::ordered_json resultJson(const RepairBenchmark& result) {
  nlohmann::ordered_json json{{"samples", result.samples},
                              {"seconds", result.seconds},
                              {"float_pass_seconds", result.floatPassSeconds},
                              {"forward_equivalents", result.forwardEquivalents()},
                              {"start_db", result.startDb},
                              {"end_db", result.endDb},
                              {"gram_rounding_db", jsonNumber(result.gramRoundingDb)},
                              {"adaround_db", jsonNumber(result.adaRoundDb)},
                              {"steps", nlohmann::ordered_json::array()},
                              {"peak_rss_mib", result.peakRssMib}};
  for (const StepReport& step : result.steps) {
    json["steps"].push_back({{"step", step.step},
                             {"seconds", step.seconds},
                             {"gain_held_out_db", jsonNumber(step.gainHeldOutDb)},
                             {"kept", step.kept}});
  }
  return json;
}

}  // namespace

void addBenchRepair(CLI::App& bench, Selection& selection) {
  CLI::App* command =
      bench.add_subcommand("repair", "The recipe of repairs: time and gain of each step");
  auto options = std::make_shared<BenchOptions>();
  addBenchOptions(*command, *options, "random:16");
  addConfigOption(*command, options->data);
  auto request = std::make_shared<RepairRequest>();
  command->add_option("--time", request->seconds, "Stop after so many seconds, as repair does")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS");
  bindCommand(*command, selection, [&selection, options, request](JobContext& job) {
    const LoadedModel model = loadModel(options->model, job);
    const Configuration config = openConfig(options->data, model);
    SampleSet samples(openData(options->data, options->data.data, *model.graph));
    const RepairBenchmark result = benchRepair(model, config, samples, *request, job);
    return selection.common.json ? deliverJson(resultJson(result), *selection.common.json)
                                 : resultText(result);
  });
}

}  // namespace quantscope::cli
