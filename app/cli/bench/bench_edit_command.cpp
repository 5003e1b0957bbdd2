#include <CLI/CLI.hpp>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/data_options.h"
#include "app/cli/open_data.h"
#include "bench/bench_edit.h"
#include "bench_commands.h"

namespace quantscope::cli {
namespace {

std::string resultText(const EditBenchmark& result) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << "edits               " << result.edits << " on "
      << result.samples << " samples (medians)\nown error           " << result.ownMs
      << " ms\nfirst sample        " << result.firstSampleMs << " ms\nall samples         "
      << result.allMs << " ms, worst " << result.worstAllMs << "\nundo                "
      << result.undoMs << " ms\n"
      << std::setprecision(2) << "share of a pass     " << result.forwardEquivalents << " (mean)\n"
      << std::setprecision(1) << "peak memory         " << result.peakRssMib << " MiB\n";
  return out.str();
}

nlohmann::ordered_json resultJson(const EditBenchmark& result) {
  return {{"edits", result.edits},
          {"samples", result.samples},
          {"own_ms", result.ownMs},
          {"first_sample_ms", result.firstSampleMs},
          {"all_ms", result.allMs},
          {"worst_all_ms", result.worstAllMs},
          {"undo_ms", result.undoMs},
          {"forward_equivalents", result.forwardEquivalents},
          {"peak_rss_mib", result.peakRssMib}};
}

}  // namespace

void addBenchEdit(CLI::App& bench, Selection& selection) {
  CLI::App* command = bench.add_subcommand(
      "edit", "Time until the results of a changed layer are known, over all layers");
  auto options = std::make_shared<BenchOptions>();
  addBenchOptions(*command, *options, "random:16");
  addConfigOption(*command, options->data);
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    const LoadedModel model = loadModel(options->model, job);
    const Configuration config = openConfig(options->data, model);
    SampleSet samples(openData(options->data, options->data.data, *model.graph));
    const EditBenchmark result = benchEdit(model, config, samples, job);
    return selection.common.json ? deliverJson(resultJson(result), *selection.common.json)
                                 : resultText(result);
  });
}

}  // namespace quantscope::cli
