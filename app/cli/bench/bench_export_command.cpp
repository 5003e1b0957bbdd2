#include <CLI/CLI.hpp>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/data_options.h"
#include "app/cli/open_analysis.h"
#include "base/number_text.h"
#include "bench/bench_export.h"
#include "bench_commands.h"

namespace quantscope::cli {
namespace {

std::string resultText(const ExportBenchmark& result) {
  const auto bytes = [](std::size_t count) { return byteSize(static_cast<double>(count)); };
  std::ostringstream out;
  out << std::fixed << std::setprecision(3) << "nodes               " << result.nodes << ", "
      << result.samples << " samples\nexport, verified    " << result.exportSeconds
      << " s (median), " << bytes(result.exportedBytes) << "\nmemory of export    "
      << bytes(result.peakExportBytes) << ", " << std::setprecision(1) << result.memoryRatio()
      << " times the constants (" << bytes(result.constantBytes) << ")\nreport              "
      << std::setprecision(3) << result.reportSeconds << " s (median), "
      << bytes(result.reportBytes) << "\ncomparison          " << result.compareSeconds
      << " s with its export\n";
  return out.str();
}

nlohmann::ordered_json resultJson(const ExportBenchmark& result) {
  return {{"nodes", result.nodes},
          {"samples", result.samples},
          {"export_seconds", result.exportSeconds},
          {"exported_bytes", result.exportedBytes},
          {"constant_bytes", result.constantBytes},
          {"peak_export_bytes", result.peakExportBytes},
          {"memory_ratio", result.memoryRatio()},
          {"report_seconds", result.reportSeconds},
          {"report_bytes", result.reportBytes},
          {"compare_seconds", result.compareSeconds}};
}

}  // namespace

void addBenchExport(CLI::App& bench, Selection& selection) {
  CLI::App* command = bench.add_subcommand(
      "export", "Time and memory of a verified QDQ export, of a report and of a comparison");
  auto options = std::make_shared<BenchOptions>();
  addBenchOptions(*command, *options, "random:4");
  addConfigOption(*command, options->data);
  bindCommand(*command, selection, [&selection, options](JobContext& job) {
    const OpenedAnalysis opened =
        openAnalysis(options->model, options->data, DetectorMode::Quantscope, job);
    const ExportBenchmark result = benchExport(opened, job);
    return selection.common.json ? deliverJson(resultJson(result), *selection.common.json)
                                 : resultText(result);
  });
}

}  // namespace quantscope::cli
