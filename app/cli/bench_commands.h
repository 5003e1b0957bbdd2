#pragma once

#include "command.h"

namespace quantscope::cli {

/// Each adds its command to `bench`.
void addBenchCalibration(CLI::App& bench, Selection& selection);
void addBenchFindings(CLI::App& bench, Selection& selection);
void addBenchKernels(CLI::App& bench, Selection& selection);

}  // namespace quantscope::cli
