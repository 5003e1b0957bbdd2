#pragma once

#include "command.h"

namespace quantscope::cli {

/// What most of them measure: a model on samples.
struct BenchOptions {
  std::string model;
  DataOptions data;
};

/// MODEL, and --data with what it is where it is left out.
void addBenchOptions(CLI::App& command, BenchOptions& options, const char* samples);

/// Each adds its command to `bench`.
void addBenchCalibration(CLI::App& bench, Selection& selection);
void addBenchEdit(CLI::App& bench, Selection& selection);
void addBenchFindings(CLI::App& bench, Selection& selection);
void addBenchKernels(CLI::App& bench, Selection& selection);

}  // namespace quantscope::cli
