#pragma once

#include "app/cli/command.h"

namespace quantscope::cli {

/// Options of most benchmarks: a model and its samples.
struct BenchOptions {
  std::string model;
  DataOptions data;
};

/// Adds MODEL and --data with its default.
void addBenchOptions(CLI::App& command, BenchOptions& options, const char* samples);

/// Each adds its command to `bench`.
void addBenchCalibration(CLI::App& bench, Selection& selection);
void addBenchEdit(CLI::App& bench, Selection& selection);
void addBenchExport(CLI::App& bench, Selection& selection);
void addBenchFindings(CLI::App& bench, Selection& selection);
void addBenchGradients(CLI::App& bench, Selection& selection);
void addBenchLayers(CLI::App& bench, Selection& selection);
void addBenchSensitivity(CLI::App& bench, Selection& selection);
void addBenchRepair(CLI::App& bench, Selection& selection);
void addBenchTraining(CLI::App& bench, Selection& selection);
void addBenchKernels(CLI::App& bench, Selection& selection);

}  // namespace quantscope::cli
