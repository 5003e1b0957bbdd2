#pragma once

#include <vector>

#include "quant/quant_params.h"

namespace quantscope {

/// The numbers that a grid can represent, in steps (divided by the scale), ascending; of integer
/// types and FP8.
std::vector<double> levelsOf(const QuantParams& params, const Grid& grid);

}  // namespace quantscope
