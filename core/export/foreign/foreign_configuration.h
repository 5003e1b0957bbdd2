#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "export/foreign/foreign_grid.h"
#include "precision/config/configuration.h"

namespace quantscope {

/// The configuration made from another tool's parameters.
struct ImportedConfiguration {
  Configuration config;
  std::size_t encodings = 0;         ///< encodings that the model has a place for
  std::vector<std::string> notices;  ///< names that it has not, and what cannot be held
};

/// A configuration of backend "generic" with exactly these parameters: every layer that one of them
/// concerns in their types, all others in float.
/// Throws InvalidConfiguration where none of the names is the model's, and where the parameters
/// contradict each other or do not fit a weight's shape.
ImportedConfiguration configurationFrom(const Engine& engine, std::span<const ForeignGrid> grids);

}  // namespace quantscope
