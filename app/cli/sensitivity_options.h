#pragma once

#include <string>
#include <vector>

#include "analysis/sensitivity/sensitivity.h"
#include "command.h"
#include "quant/quant_type.h"

namespace CLI {
class Option;
}

namespace quantscope::cli {

/// --types; `about`: in the help.
CLI::Option* addTypesOption(CLI::App& command, std::vector<QuantType>& types,
                            const std::string& about);
/// --probes: backward passes per sample of an estimate.
CLI::Option* addProbesOption(CLI::App& command, std::size_t& probes);
/// --types, --around and --only.
void addSensitivityOptions(CLI::App& command, SensitivityRequest& request);

}  // namespace quantscope::cli
