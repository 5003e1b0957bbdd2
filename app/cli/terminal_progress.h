#pragma once

#include <chrono>

#include "base/job_context.h"

namespace quantscope::cli {

/// One line on standard error that is redrawn in place; nothing where that is no terminal.
class TerminalProgress {
 public:
  explicit TerminalProgress(bool quiet);
  ~TerminalProgress();
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  JobContext::ProgressSink sink();
  void clear();

 private:
  void show(const Progress& progress);

  bool m_enabled;
  bool m_shown = false;
  std::chrono::steady_clock::time_point m_last;
};

/// "Analysing 12/24 samples, 8 s left"
std::string describe(const Progress& progress);

}  // namespace quantscope::cli
