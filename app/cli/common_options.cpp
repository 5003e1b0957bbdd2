#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "command.h"
#include "data_options.h"

namespace quantscope::cli {

void addCommonOptions(CLI::App& command, CommonOptions& options) {
  command.add_option("--threads", options.threads, "Threads to use (default: all cores)")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--memory", options.memoryMib,
                  "MiB that tensors may take: fewer samples at once (default: no limit)")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 30));
  command.add_flag("--quiet", options.quiet, "Show no progress");
}

void addDataOptions(CLI::App& command, DataOptions& options) {
  command
      .add_option("--data", options.data,
                  "Samples: a .npz or .npy file, a folder of images or of ONNX test data, "
                  "or random:N")
      ->required();
  command.add_option("--preprocess", options.preprocess, "How images become inputs (JSON)");
  command.add_option("--samples", options.samples, "Use only the first N samples")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40));
  command.add_option("--seed", options.seed, "Seed of random:N");
}

void addCalibrationOptions(CLI::App& command, DataOptions& options) {
  command.add_option("--calibration", options.calibration,
                     "Samples to calibrate with (default: the data)");
  command.add_option("--config", options.config, "Precision configuration (JSON)");
  command
      .add_option("--batch", options.batch,
                  "Samples per calibration batch, for statistics that are defined per batch")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40));
}

void addJsonOption(CLI::App& command, CommonOptions& options) {
  command.add_option("--json", options.json,
                     "Write the result as JSON to FILE, - for standard output");
}

std::string deliverJson(const nlohmann::ordered_json& json, const std::string& target) {
  const auto replace = nlohmann::ordered_json::error_handler_t::replace;
  std::string text = json.dump(2, ' ', false, replace) + "\n";
  if (target == "-") return text;
  writeFileAtomically(target, text);
  return {};
}

}  // namespace quantscope::cli
