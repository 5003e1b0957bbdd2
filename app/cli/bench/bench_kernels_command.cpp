#include <CLI/CLI.hpp>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/cli/data_options.h"
#include "bench/bench_kernels.h"
#include "bench_commands.h"

namespace quantscope::cli {
namespace {

constexpr int kNameWidth = 42;
constexpr int kNumberWidth = 12;

std::string benchText(const KernelBenchmark& result) {
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << "threads " << result.threads << ", copy "
      << result.copyGbPerSecond << " GB/s, read " << result.readGbPerSecond
      << " GB/s, in registers " << result.divisionsGigaPerSecond << " G divisions/s and "
      << result.operationsGigaPerSecond << " G other operations/s\n\n"
      << std::left << std::setw(kNameWidth) << "kernel" << std::right << std::setw(kNumberWidth)
      << "elements" << std::setw(kNumberWidth) << "Gelem/s" << std::setw(kNumberWidth) << "of limit"
      << "  limit\n";
  for (const KernelSpeed& kernel : result.kernels) {
    out << std::left << std::setw(kNameWidth) << kernel.name << std::right
        << std::setw(kNumberWidth) << kernel.elements << std::setprecision(3)
        << std::setw(kNumberWidth) << kernel.gelemPerSecond << std::setprecision(2)
        << std::setw(kNumberWidth) << kernel.fractionOfLimit << "  " << kernel.limit << '\n';
  }
  return out.str();
}

nlohmann::ordered_json benchJson(const KernelBenchmark& result) {
  nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
  for (const KernelSpeed& kernel : result.kernels) {
    kernels.push_back({{"name", kernel.name},
                       {"elements", kernel.elements},
                       {"gelem_per_s", kernel.gelemPerSecond},
                       {"fraction_of_limit", kernel.fractionOfLimit},
                       {"limit", kernel.limit}});
  }
  return {{"threads", result.threads},
          {"copy_gb_per_s", result.copyGbPerSecond},
          {"read_gb_per_s", result.readGbPerSecond},
          {"gdiv_per_s", result.divisionsGigaPerSecond},
          {"gop_per_s", result.operationsGigaPerSecond},
          {"kernels", std::move(kernels)}};
}

}  // namespace

void addBenchKernels(CLI::App& bench, Selection& selection) {
  CLI::App* kernels = bench.add_subcommand(
      "kernels", "Quantization kernels, next to what memory and arithmetic allow");
  auto settings = std::make_shared<KernelBenchmarkSettings>();
  kernels->add_option("--size", settings->mebibytes, "MiB of each array (default: 256)")
      ->check(CLI::Range(1, 65536, "1 to 65536"))
      ->type_name("MIB");
  kernels
      ->add_option("--rounds", settings->rounds, "Rounds of which the median counts (default: 7)")
      ->check(CLI::Range(1, 1000, "1 to 1000"))
      ->type_name("N");
  kernels
      ->add_option("--filter", settings->filters,
                   "Only kernels whose names contain TEXT; may be given more than once")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("TEXT");
  bindCommand(*kernels, selection, [&selection, settings](JobContext& job) {
    // One that is read and one that is written.
    requireBudget(job, 2 * settings->mebibytes << 20, "allow more, or use a smaller --size");
    const KernelBenchmark result = benchKernels(*settings, job);
    return selection.common.json ? deliverJson(benchJson(result), *selection.common.json)
                                 : benchText(result);
  });
}

}  // namespace quantscope::cli
