#pragma once

#include <string>
#include <vector>

#include "export/foreign/placed_grids.h"
#include "precision/config/configuration.h"

namespace quantscope {

/// The configuration made from another tool's parameters.
struct ImportedConfiguration {
  Configuration config;
  std::size_t encodings = 0;         ///< encodings that the model has a place for
  std::vector<std::string> notices;  ///< what was not taken over
};

/// A configuration of backend "generic" with exactly these parameters: every layer that one of them
/// concerns in their types, all others in float.
/// Throws InvalidConfiguration where the parameters contradict each other or do not fit a weight's
/// shape.
ImportedConfiguration configurationFrom(const Engine& engine, const PlacedGrids& placed);

}  // namespace quantscope
