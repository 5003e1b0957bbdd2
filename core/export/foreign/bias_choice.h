#pragma once

#include <string>
#include <vector>

#include "export/foreign/placed_grids.h"
#include "precision/config/configuration.h"

namespace quantscope {

/// Sets the rule for biases in `config` that gives the most of the other model's biases to the bit,
/// and tells what still differs: biases, and weights that are not rounded to the nearest code.
/// Throws what quantizeModel() throws.
void chooseBiasRule(const Engine& engine, const PlacedGrids& placed, Configuration& config,
                    std::vector<std::string>& notices);

}  // namespace quantscope
