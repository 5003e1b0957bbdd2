#include <CLI/CLI.hpp>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/data_options.h"
#include "app/cli/open_data.h"
#include "bench/bench_training.h"
#include "bench_commands.h"
#include "export/json/json_number.h"

namespace quantscope::cli {
namespace {

std::string resultText(const TrainingBenchmark& result) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(2) << "worst output  " << result.startDb << " → "
      << result.recipeDb << " dB by the recipe";
  if (result.gainDb) {
    out << ", " << std::showpos << *result.gainDb << std::noshowpos << " dB by training";
  }
  out << ", held out\ntraining      " << (result.kept ? "kept" : "left out") << ": "
      << result.reason << "\ntime          " << result.recipeSeconds << " s for the recipe, "
      << result.seconds << " s for " << result.training.steps << " steps of training ("
      << result.stepsPerSecond() << " per second)\npeak memory   " << result.peakRssMib << " MiB\n";
  return out.str();
}

nlohmann::ordered_json resultJson(const TrainingBenchmark& result) {
  return {{"samples", result.samples},
          {"start_db", result.startDb},
          {"recipe_db", result.recipeDb},
          {"end_db", result.endDb},
          {"training_gain_db", jsonNumber(result.gainDb)},
          {"kept", result.kept},
          {"reason", result.reason},
          {"recipe_seconds", result.recipeSeconds},
          {"training_seconds", result.seconds},
          {"steps", result.training.steps},
          {"steps_per_s", result.stepsPerSecond()},
          {"peak_rss_mib", result.peakRssMib}};
}

}  // namespace

void addBenchTraining(CLI::App& bench, Selection& selection) {
  CLI::App* command = bench.add_subcommand(
      "training", "What training adds to the recipe of repairs, and its speed");
  auto options = std::make_shared<BenchOptions>();
  auto settings = std::make_shared<TrainingSettings>();
  addBenchOptions(*command, *options, "random:32");
  addConfigOption(*command, options->data);
  command
      ->add_option("--training-steps", settings->steps,
                   "Steps of the whole network (default: 600 to 3000, more for small networks)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}))
      ->type_name("N");
  bindCommand(*command, selection, [&selection, options, settings](JobContext& job) {
    options->data.drawsFromSeed = true;
    settings->seed = options->data.seed.value_or(0);
    const LoadedModel model = loadModel(options->model, job);
    const Configuration config = openConfig(options->data, model);
    SampleSet samples(openData(options->data, options->data.data, *model.graph));
    const TrainingBenchmark result = benchTraining(model, config, samples, *settings, job);
    return selection.common.json ? deliverJson(resultJson(result), *selection.common.json)
                                 : resultText(result);
  });
}

}  // namespace quantscope::cli
