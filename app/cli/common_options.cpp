#include <CLI/CLI.hpp>
#include <cerrno>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/files/atomic_file.h"
#include "base/files/file_error.h"
#include "command.h"
#include "data_options.h"
#include "validators.h"

namespace quantscope::cli {
namespace {

constexpr std::uint64_t kMaxSamples = std::uint64_t{1} << 40;
constexpr std::uint64_t kMaxThreads = 1024;
constexpr std::uint64_t kMaxMib = std::uint64_t{1} << 30;

void addCommonOptions(CLI::App& command, CommonOptions& options) {
  command.add_option("--threads", options.threads, "Threads to use (default: one per core)")
      ->check(wholeNumber(1, kMaxThreads))
      ->type_name("N");
  command
      .add_option("--memory", options.memoryMib,
                  "MiB that tensors may take: fewer samples at once (default: no limit for them, "
                  "and for what is cached a quarter of the memory, at most 2048)")
      ->check(wholeNumber(1, kMaxMib))
      ->type_name("MIB");
  command.add_flag("--quiet", options.quiet, "Show no progress");
  command
      .add_option("--json", options.json, "Write the result as JSON to FILE, - for standard output")
      ->type_name("FILE");
}

}  // namespace

void bindCommand(CLI::App& command, Selection& selection, Command run) {
  addCommonOptions(command, selection.common);
  command.callback([&selection, run = std::move(run)] { selection.run = run; });
}

void addModel(CLI::App& command, std::string& model) {
  command.add_option("MODEL", model, "ONNX model")->required()->type_name("");
}

void addDataOptions(CLI::App& command, DataOptions& options) {
  command
      .add_option("--data", options.data,
                  "Samples: a .npz or .npy file, a folder of images or of ONNX test data, "
                  "or random:N")
      ->required()
      ->type_name("DATA");
  command.add_option("--preprocess", options.preprocess, "How images become inputs (JSON)")
      ->type_name("FILE");
  command.add_option("--samples", options.samples, "Use only the first N samples")
      ->check(wholeNumber(1, kMaxSamples))
      ->type_name("N");
  command.add_option("--seed", options.seed, "Seed of random:N (default: 0)")
      ->check(wholeNumber(0, std::numeric_limits<std::uint64_t>::max()))
      ->type_name("N");
}

void addConfigOption(CLI::App& command, DataOptions& options) {
  command.add_option("--config", options.config, "Precision configuration (JSON)")
      ->type_name("FILE");
}

void addBatchOption(CLI::App& command, DataOptions& options) {
  command
      .add_option("--batch", options.batch,
                  "Samples per calibration batch (default: 1), for statistics that are defined per "
                  "batch")
      ->check(wholeNumber(1, kMaxSamples))
      ->type_name("N");
}

void addCalibrationOptions(CLI::App& command, DataOptions& options) {
  command
      .add_option("--calibration", options.calibration,
                  "Samples to calibrate with (default: the data)")
      ->type_name("DATA");
  addConfigOption(command, options);
  addBatchOption(command, options);
}

void requireConfigToCalibrate(const CLI::App& command) {
  if (command.count("--config") > 0) return;
  for (const char* option : {"--calibration", "--batch"}) {
    if (command.count(option) == 0) continue;
    throw CLI::ValidationError(option, "the float network, without --config, has no use for it");
  }
}

void addLabelsOption(CLI::App& command, DataOptions& options, const std::string& use) {
  command
      .add_option("--labels", options.labels, "Class indices of the first samples (.npy): " + use)
      ->type_name("FILE");
}

void requireBudget(const JobContext& job, std::size_t bytes, const std::string& remedy) {
  if (job.memoryBudget() == 0 || bytes <= job.memoryBudget()) return;
  constexpr std::size_t kMib = std::size_t{1} << 20;
  throw Error(ErrorCode::InvalidParameters,
              "the arrays take " + std::to_string((bytes + kMib - 1) / kMib) +
                  " MiB, more than the " + std::to_string(job.memoryBudget() / kMib) +
                  " MiB of --memory",
              {}, remedy);
}

void requireFolderOf(const std::optional<std::string>& target) {
  if (!target || *target == "-") return;
  const std::filesystem::path folder = std::filesystem::path(*target).parent_path();
  if (folder.empty() || std::filesystem::exists(folder)) return;
  throw fileError(FileAction::Write, *target, ENOENT);
}

std::string deliverJson(const nlohmann::ordered_json& json, const std::string& target) {
  const auto replace = nlohmann::ordered_json::error_handler_t::replace;
  return deliverText(json.dump(2, ' ', false, replace) + "\n", target);
}

std::function<bool()> endingEarly(Selection& selection) {
  selection.endsEarly = true;
  return [&selection] { return selection.ending.load(); };
}

bool delivers(const Selection& selection) {
  return selection.ranks == nullptr || selection.ranks->isFirst();
}

std::string deliverText(std::string text, const std::string& target) {
  if (target == "-") return text;
  writeFileAtomically(target, text);
  return {};
}

}  // namespace quantscope::cli
