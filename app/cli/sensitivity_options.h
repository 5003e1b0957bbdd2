#pragma once

#include <string>

#include "analysis/sensitivity.h"
#include "command.h"

namespace quantscope::cli {

/// --types, --around and --only.
void addSensitivityOptions(CLI::App& command, SensitivityRequest& request);

}  // namespace quantscope::cli
