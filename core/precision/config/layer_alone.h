#pragma once

#include <string>

#include "precision/config/configuration.h"

namespace quantscope {

/// The configuration without anything that it quantizes: its backend, convention and bias rule.
Configuration inFloat(const Configuration& config);

/// Gives a node an entry, in place of one that it has.
void setNode(PrecisionConfig& config, const std::string& node, const NodePrecision& precision);
/// `config` with such an entry.
Configuration withNode(Configuration config, const std::string& node,
                       const NodePrecision& precision);

/// The configuration with the layer of that node alone quantized, at `precision` and on the grids
/// and with the factors that `config` gives it; all else in float.
Configuration layerAlone(const Configuration& config, const std::string& node,
                         const NodePrecision& precision);

}  // namespace quantscope
