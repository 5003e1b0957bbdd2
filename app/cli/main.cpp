#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <iostream>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "base/freed_memory.h"
#include "base/memory_budget.h"
#include "command.h"
#include "kernels/simd_target.h"
#include "separate_files.h"
#include "terminal_progress.h"

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kCancelled = 130;

// Only touched by the signal handler and while no handler can run.
quantscope::JobContext* runningJob = nullptr;
quantscope::cli::Selection* running = nullptr;

// What may be called in a signal handler.
void tellOfEnding() {
  const int before = errno;
  // Where the reader of the messages is gone already, the results still count.
  std::signal(SIGPIPE, SIG_IGN);
  constexpr std::string_view kEnding = "\nending with what was won so far; once more cancels\n";
  constexpr std::string_view kKeeping = "\nending with what was won so far\n";
  const std::string_view words = running->keepsWhenCancelled ? kKeeping : kEnding;
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, words.data(), words.size());
  errno = before;
}

extern "C" void cancelRunningJob(int /*signal*/) {
  if (runningJob == nullptr) return;
  if (running->endsEarly && !running->ending.exchange(true)) {
    if (!running->common.quiet) tellOfEnding();
    if (running->keepsWhenCancelled) runningJob->requestCancel();
    return;
  }
  runningJob->requestCancel();
}

class CancelOnSignal {
 public:
  CancelOnSignal(quantscope::cli::Selection& selection, quantscope::JobContext& job) {
    running = &selection;
    runningJob = &job;
    std::signal(SIGINT, cancelRunningJob);
    std::signal(SIGTERM, cancelRunningJob);
  }
  ~CancelOnSignal() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    runningJob = nullptr;
  }
  CancelOnSignal(const CancelOnSignal&) = delete;
  CancelOnSignal& operator=(const CancelOnSignal&) = delete;
};

// Names out of a model may hold line breaks and what terminals take for commands.
std::string oneLine(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7F') c = '?';
  }
  return text;
}

// Time in which the first rank meets what another one has met, and ends all.
constexpr auto kHeadStart = std::chrono::milliseconds(1500);

// In one piece: several ranks may write at once.
int end(int status, const std::string& line) {
  if (!quantscope::cli::isFirstLaunched()) std::this_thread::sleep_for(kHeadStart);
  std::cerr << line + "\n";
  return status;
}

int fail(const std::string& why) {
  return end(kFailed, "error: " + oneLine(why));
}

int deliver(const std::string& output) {
  std::cout << output << std::flush;
  if (std::cout) return 0;
  return fail("the result cannot be written to standard output: check where it goes");
}

// Ranks of one machine share its processors and its memory.
int threadsOf(const quantscope::cli::Selection& selection) {
  if (selection.common.threads != 0 || selection.ranks == nullptr) return selection.common.threads;
  const int ranks = static_cast<int>(selection.ranks->countHere());
  return std::max(1, quantscope::Workers::availableCores() / ranks);
}

std::size_t memoryOf(const quantscope::cli::Selection& selection) {
  if (selection.common.memoryMib) return *selection.common.memoryMib << 20;
  if (selection.ranks == nullptr) return 0;
  return quantscope::defaultMemoryBudget() / selection.ranks->countHere();
}

int runAlone(quantscope::cli::Selection& selection) {
  const bool delivers = quantscope::cli::delivers(selection);
  const quantscope::Workers workers(threadsOf(selection));
  quantscope::cli::TerminalProgress progress(selection.common.quiet || !delivers);
  quantscope::JobContext job(workers, progress.sink());
  job.setMemoryBudget(memoryOf(selection));
  const CancelOnSignal handler(selection, job);
  try {
    quantscope::useSimdTargetOfEnvironment();
    quantscope::cli::requireFolderOf(selection.common.json);
    const std::string output = selection.run(job);
    progress.clear();
    if (!delivers) return 0;
    for (const std::string& notice : selection.notices) {
      std::cerr << "notice: " << oneLine(notice) << '\n';
    }
    const int status = deliver(output);
    const bool kept = (selection.keepsWhenCancelled && job.cancelled()) || selection.ending;
    return status == 0 && kept ? kCancelled : status;
  } catch (const quantscope::Cancelled&) {
    progress.clear();
    const std::string& kept = selection.keptWork;
    return end(kCancelled, kept.empty() ? "cancelled" : "cancelled: " + oneLine(kept));
  } catch (const std::bad_alloc&) {
    progress.clear();
    return fail("out of memory: use fewer threads or a smaller input");
  } catch (const std::exception& error) {
    progress.clear();
    return fail(error.what());
  }
}

// Where one rank fails, the others do not go on for nothing: they would wait for it.
int runCommand(quantscope::cli::Selection& selection) {
  if (selection.sharesWork) {
    try {
      selection.ranks = quantscope::cli::joinRanks();
    } catch (const quantscope::Error& error) {
      return fail(error.what());
    }
  } else if (quantscope::cli::launchedRanks() > 1) {
    return fail("several ranks were started for a command that does not share work: start one");
  }
  if (selection.ranks == nullptr) return runAlone(selection);
  int status = runAlone(selection);
  const bool kept = selection.keepsWhenCancelled || selection.ending;
  const bool isDone = status == 0 || (status == kCancelled && kept);
  try {
    if (isDone) selection.ranks->leave();
  } catch (const quantscope::Error& error) {
    status = fail(error.what());
    selection.ranks->abandon(status);
  }
  if (!isDone) selection.ranks->abandon(status);
  return status;
}

const CLI::App& chosenCommand(const CLI::App& app) {
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  return chosen.empty() ? app : chosenCommand(*chosen.front());
}

std::string fullName(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent == nullptr ? "" : fullName(*parent) + " ") + command.get_name();
}

std::string usageProblem(const CLI::App& command, const CLI::ParseError& error) {
  const bool wantsCommand = command.get_require_subcommand_min() > 0;
  if (!wantsCommand || error.get_name() != "RequiredError") return error.what();
  const std::vector<std::string> rest = command.remaining();
  return rest.empty() ? "no command is given" : "there is no command '" + rest.front() + "'";
}

int leaveParser(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return quantscope::cli::isFirstLaunched() ? app.exit(error) : 0;
  const CLI::App& command = chosenCommand(app);
  return end(kWrongUsage, "error: " + oneLine(usageProblem(command, error)) + ": see `" +
                              fullName(command) + " --help`");
}

}  // namespace

int main(int argc, char** argv) {
  // A write beyond a limit is an error like that on a full disk, which cleans up.
  std::signal(SIGXFSZ, SIG_IGN);
  quantscope::keepFreedMemory();
  CLI::App app{"Analyses and debugs the quantization of neural networks.", "quantscope-cli"};
  app.set_version_flag("--version", QUANTSCOPE_VERSION);
  app.require_subcommand(1);
  quantscope::cli::Selection selection;
  quantscope::cli::addInspect(app, selection);
  quantscope::cli::addRun(app, selection);
  quantscope::cli::addCalibrate(app, selection);
  quantscope::cli::addAnalyze(app, selection);
  quantscope::cli::addErrors(app, selection);
  quantscope::cli::addSensitivity(app, selection);
  quantscope::cli::addOptimize(app, selection);
  quantscope::cli::addRepair(app, selection);
  quantscope::cli::addTrain(app, selection);
  quantscope::cli::addMerge(app, selection);
  quantscope::cli::addTensor(app, selection);
  quantscope::cli::addGroups(app, selection);
  quantscope::cli::addConfig(app, selection);
  quantscope::cli::addProject(app, selection);
  quantscope::cli::addExport(app, selection);
  quantscope::cli::addImport(app, selection);
  quantscope::cli::addCompare(app, selection);
  quantscope::cli::addBench(app, selection);
  try {
    app.parse(argc, argv);
    quantscope::cli::requireSeparateResults(chosenCommand(app));
  } catch (const CLI::ParseError& error) {
    return leaveParser(app, error);
  }
  return runCommand(selection);
}
