#pragma once

#include "precision/config/resolved_config.h"
#include "precision/edits/config_edit.h"

namespace quantscope {

/// True where a step sets or removes the entry of an operator type or a pattern that a rule of
/// `config` comes from.
bool isEntryOf(const ConfigStep& step, const PrecisionConfig& config, const PrecisionRule& rule);

}  // namespace quantscope
