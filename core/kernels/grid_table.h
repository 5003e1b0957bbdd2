#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/channel_layout.h"
#include "quant/quant_params.h"

namespace quantscope {

/// A grid as the kernels compute with it: real = clamp(rne(x / scale), low, high) · scale, where
/// low and high are the codes' limits minus the zero point.
struct GridLimits {
  float scale = 1;
  float low = 0;
  float high = 0;
};

/// Throws InvalidParameters unless the scale is a positive normal number, qmin ≤ qmax, and both
/// limits lie within ±2^24, where a float holds every integer.
GridLimits gridLimits(const Grid& grid, std::int32_t qmin, std::int32_t qmax);

/// One grid per position of a row of `channels · inner` elements, as columns to load vectors from.
/// Padded so that a vector may be loaded at any position of the row.
struct GridTable {
  std::vector<float> scale;
  std::vector<float> low;
  std::vector<float> high;
};

GridTable expandGrids(const ChannelLayout& layout, std::span<const Grid> grids, std::int32_t qmin,
                      std::int32_t qmax);

}  // namespace quantscope
