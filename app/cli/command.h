#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/job_context.h"
#include "base/workers.h"
#include "calibration/images/preprocessing.h"
#include "precision/config/configuration.h"
#include "rank_session.h"

namespace CLI {
class App;
}

namespace quantscope::cli {

/// Options that every command has.
struct CommonOptions {
  int threads = 0;
  std::optional<std::size_t> memoryMib;  ///< of tensors at once; default: no limit
  bool quiet = false;
  std::optional<std::string> json;
};

/// Options of every command that reads samples.
struct DataOptions {
  std::string data;
  std::optional<std::string> calibration;  ///< default: the data
  std::optional<std::filesystem::path> preprocess;
  std::optional<std::filesystem::path> labels;
  std::optional<std::filesystem::path> config;
  std::optional<std::size_t> samples;
  std::size_t batch = 1;
  std::optional<std::uint64_t> seed;
  bool drawsFromSeed = false;  ///< the command does, whatever the samples are
  /// Settings from a project, used if the options are not given.
  std::optional<Preprocessing> keptPreprocessing = {};
  std::uint64_t keptSeed = 0;
  std::optional<Configuration> keptConfig = {};
};

/// The function of a command, called after its options are parsed; returns its standard output.
using Command = std::function<std::string(JobContext&)>;

/// The command that the command line has chosen.
struct Selection {
  CommonOptions common;
  Command run;
  bool sharesWork = false;                  ///< several ranks may run the command together
  std::unique_ptr<RankSession> ranks = {};  ///< null = there is one
  /// Lines for standard error, printed when the command is done.
  std::vector<std::string> notices;
  /// Set by a command that ends early with what was won so far, when a signal sets `ending`, and
  /// with the status of a cancelled one. Another signal cancels it.
  std::atomic<bool> endsEarly{false};
  /// Such a command does not look at `ending`, but keeps what it has when it is cancelled,
  /// and ends with the status of a cancelled one.
  std::atomic<bool> keepsWhenCancelled{false};
  std::atomic<bool> ending{false};
  /// Where the work of a cancelled command is, for the one who cancelled it; empty = it is lost.
  std::string keptWork;
};

/// True for the rank that delivers results.
bool delivers(const Selection& selection);

/// Adds the options that every command has, and runs `run` if the command line names this command.
void bindCommand(CLI::App& command, Selection& selection, Command run);

/// From now on a first signal ends the command early; true once it has come.
std::function<bool()> endingEarly(Selection& selection);

/// Each adds its command to the application.
void addInspect(CLI::App& app, Selection& selection);
void addRun(CLI::App& app, Selection& selection);
void addCalibrate(CLI::App& app, Selection& selection);
void addAnalyze(CLI::App& app, Selection& selection);
void addErrors(CLI::App& app, Selection& selection);
void addSensitivity(CLI::App& app, Selection& selection);
void addOptimize(CLI::App& app, Selection& selection);
void addRepair(CLI::App& app, Selection& selection);
void addTrain(CLI::App& app, Selection& selection);
void addMerge(CLI::App& app, Selection& selection);
void addBench(CLI::App& app, Selection& selection);
void addTensor(CLI::App& app, Selection& selection);
void addGroups(CLI::App& app, Selection& selection);
void addConfig(CLI::App& app, Selection& selection);
void addProject(CLI::App& app, Selection& selection);
void addExport(CLI::App& app, Selection& selection);
void addImport(CLI::App& app, Selection& selection);
void addCompare(CLI::App& app, Selection& selection);

/// Throws InvalidParameters where --memory allows less than `bytes`, which cannot be split.
void requireBudget(const JobContext& job, std::size_t bytes, const std::string& remedy);

/// Throws Io where the folder of that file does not exist: before there is a result to lose.
void requireFolderOf(const std::optional<std::string>& target);

/// Writes a result to the file `target`, or returns it where that is "-".
std::string deliverText(std::string text, const std::string& target);
std::string deliverJson(const nlohmann::ordered_json& json, const std::string& target);

}  // namespace quantscope::cli
