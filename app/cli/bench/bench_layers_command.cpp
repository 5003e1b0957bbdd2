#include <CLI/CLI.hpp>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/data_options.h"
#include "app/cli/open_data.h"
#include "bench_commands.h"
#include "jobs/sensitivity/time_layers.h"

namespace quantscope::cli {
namespace {

std::string timeText(const std::map<QuantType, MeasuredTime>& times, QuantType type) {
  const MeasuredTime& time = times.at(type);
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << time.microseconds << (time.estimated ? "~" : " ");
  return text.str();
}

std::string tableText(const CostTable& table) {
  constexpr int kColumn = 12;
  const std::array types{QuantType::Float32, QuantType::BFloat16, QuantType::Int8};
  std::ostringstream out;
  out << "microseconds for one sample on " << table.device << "; ~ is an estimate\n";
  for (const QuantType type : types) out << std::setw(kColumn) << name(type);
  out << "  layer\n";
  for (const auto& [node, times] : table.layers) {
    for (const QuantType type : types) out << std::setw(kColumn) << timeText(times, type);
    out << "  " << node << "\n";
  }
  return out.str();
}

}  // namespace

void addBenchLayers(CLI::App& bench, Selection& selection) {
  CLI::App* command = bench.add_subcommand(
      "layers", "Time of each layer in each type on this machine: the table for optimize --cost");
  auto options = std::make_shared<BenchOptions>();
  addBenchOptions(*command, *options, "random:1");
  addConfigOption(*command, options->data);
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    const LoadedModel model = loadModel(options->model, job);
    const Configuration config = openConfig(options->data, model);
    SampleSet samples(openData(options->data, options->data.data, *model.graph));
    const CostTable table = timeLayers(model, config, samples, job);
    return selection.common.json ? deliverJson(toJson(table), *selection.common.json)
                                 : tableText(table);
  });
}

}  // namespace quantscope::cli
