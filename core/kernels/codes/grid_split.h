#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "quant/quant_params.h"

namespace quantscope {

/// Where the columns of a GridTable begin.
struct GridColumns {
  float* scale;
  float* low;
  float* high;
};

/// scale[i] = grids[i].scale, low[i] = qmin − grids[i].zeroPoint and high[i] likewise, for so many
/// first grids as fill whole vectors; how many that were. The grids are sound (see gridLimits).
std::size_t splitGrids(std::span<const Grid> grids, std::int32_t qmin, std::int32_t qmax,
                       const GridColumns& columns);

}  // namespace quantscope
