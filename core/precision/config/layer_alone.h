#pragma once

#include <string>

#include "precision/config/configuration.h"

namespace quantscope {

/// The configuration without anything that it quantizes: its backend, convention and bias rule.
Configuration inFloat(const Configuration& config);

/// `config` with an entry for a node, in place of one that it has.
Configuration withNode(Configuration config, const std::string& node,
                       const NodePrecision& precision);

}  // namespace quantscope
