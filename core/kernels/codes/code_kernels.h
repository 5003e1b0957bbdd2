#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/codes/grid_table.h"
#include "quant/quant_type.h"

namespace quantscope {

/// Codes lie unpacked, one in each byte, or in each 16 bits little endian for types of 16 bits.
/// Element i has the grid of entry `first` + i / run, so that a `run` of 1 gives each its own and
/// one that is not exceeded gives all the same.
struct GridRuns {
  const GridTable& grids;
  std::size_t first = 0;
  std::size_t run = 1;
};

/// See quantizePacked; returns the number of NaNs. `lowest` is qmin for integers.
std::size_t encode(QuantType type, const float* in, std::uint8_t* codes, std::size_t count,
                   const GridRuns& grids, std::int32_t lowest);

/// The reverse; of each code only the bits of the type count.
void decode(QuantType type, const std::uint8_t* codes, float* out, std::size_t count,
            const GridRuns& grids, std::int32_t lowest);

}  // namespace quantscope
