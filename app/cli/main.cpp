#include <CLI/CLI.hpp>
#include <csignal>
#include <iostream>

#include "base/error.h"
#include "command.h"
#include "terminal_progress.h"

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kCancelled = 130;

// Only touched by the signal handler and while no handler can run.
quantscope::JobContext* runningJob = nullptr;

extern "C" void cancelRunningJob(int /*signal*/) {
  if (runningJob != nullptr) runningJob->requestCancel();
}

class CancelOnSignal {
 public:
  explicit CancelOnSignal(quantscope::JobContext& job) {
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

int runCommand(const quantscope::cli::Selection& selection) {
  const quantscope::Workers workers(selection.common.threads);
  quantscope::cli::TerminalProgress progress(selection.common.quiet);
  quantscope::JobContext job(workers, progress.sink());
  job.setMemoryBudget(selection.common.memoryMib.value_or(0) << 20);
  const CancelOnSignal handler(job);
  try {
    const std::string output = selection.run(job);
    progress.clear();
    std::cout << output << std::flush;
    return 0;
  } catch (const quantscope::Cancelled&) {
    progress.clear();
    std::cerr << "cancelled\n";
    return kCancelled;
  } catch (const std::bad_alloc&) {
    progress.clear();
    std::cerr << "error: out of memory: use fewer threads or a smaller input\n";
    return kFailed;
  } catch (const std::exception& error) {
    progress.clear();
    std::cerr << "error: " << error.what() << '\n';
    return kFailed;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Analyses and debugs the quantization of neural networks.", "quantscope-cli"};
  app.set_version_flag("--version", QUANTSCOPE_VERSION);
  app.require_subcommand(1);
  quantscope::cli::Selection selection;
  quantscope::cli::addInspect(app, selection);
  quantscope::cli::addRun(app, selection);
  quantscope::cli::addCalibrate(app, selection);
  quantscope::cli::addAnalyze(app, selection);
  quantscope::cli::addBench(app, selection);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  return runCommand(selection);
}
