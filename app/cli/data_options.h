#pragma once

#include "command.h"

namespace quantscope::cli {

/// --data, --preprocess, --samples, --seed
void addDataOptions(CLI::App& command, DataOptions& options);
/// --calibration, --config, --batch
void addCalibrationOptions(CLI::App& command, DataOptions& options);
/// --json
void addJsonOption(CLI::App& command, CommonOptions& options);

}  // namespace quantscope::cli
