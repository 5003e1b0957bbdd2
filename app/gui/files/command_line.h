#pragma once

#include <QStringList>
#include <cstddef>
#include <optional>

#include "app/gui/window/appearance.h"
#include "jobs/analysis_snapshot.h"

namespace quantscope {

/// The request of the command line; the options mean the same as in
/// quantscope-cli.
struct CommandLine {
  QStringList models;                   ///< each in a window of its own
  AnalysisRequest request;              ///< of the first model; without data where none is named
  std::filesystem::path preprocessing;  ///< files that are still to be read; empty = none
  std::filesystem::path config;
  std::size_t memoryBudget = 0;  ///< bytes; 0 = no limit
  std::optional<ThemeChoice> theme;
  QString problem;  ///< one sentence where the words make no sense; empty = fine
  QString help;     ///< text of --help or --version; empty = not requested
};

/// `words` with the program's name in front.
CommandLine parseCommandLine(const QStringList& words);

}  // namespace quantscope
