#pragma once

#include "command.h"

namespace quantscope::cli {

/// The model, as the first argument.
void addModel(CLI::App& command, std::string& model);
/// --data, --preprocess, --samples, --seed
void addDataOptions(CLI::App& command, DataOptions& options);
/// --config
void addConfigOption(CLI::App& command, DataOptions& options);
/// --batch
void addBatchOption(CLI::App& command, DataOptions& options);
/// --calibration, --config, --batch
void addCalibrationOptions(CLI::App& command, DataOptions& options);

/// Throws CLI::ValidationError where --calibration or --batch is given without --config: the float
/// network is not calibrated.
void requireConfigToCalibrate(const CLI::App& command);

/// Adds --labels; `use`: the purpose of the labels.
void addLabelsOption(CLI::App& command, DataOptions& options, const std::string& use);

}  // namespace quantscope::cli
