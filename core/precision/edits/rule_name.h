#pragma once

#include <string>

#include "precision/config/resolved_config.h"

namespace quantscope {

/// The operator type or the expression of the entry that a rule stands for; empty for those of
/// nodes and for the default.
const std::string& ruleName(const PrecisionConfig& config, const PrecisionRule& rule);

}  // namespace quantscope
