#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/channel_layout.h"
#include "quant/quant_params.h"

namespace quantscope {

/// A grid as the kernels compute with it. Integers: real = clamp(rne(x / scale), low, high) ·
/// scale, where low and high are the codes' limits minus the zero point. Ternary: `low` is the
/// threshold.
struct GridLimits {
  float scale = 1;
  float low = 0;
  float high = 0;
};

/// Throws InvalidParameters unless the scale is a positive normal number, qmin ≤ qmax, and both
/// limits lie within ±2^24, where a float holds every integer. FP8 asks the same of the scale,
/// ternary and binary that scale and threshold are finite and not below 0, half types nothing.
GridLimits gridLimits(const Grid& grid, const Codes& codes);
/// For integers.
GridLimits gridLimits(const Grid& grid, std::int32_t qmin, std::int32_t qmax);

/// One grid per position, as columns to load vectors from. Padded so that a vector may be loaded at
/// any position.
struct GridTable {
  std::vector<float> scale;
  std::vector<float> low;
  std::vector<float> high;

  std::size_t size() const { return scale.size(); }
  void reserve(std::size_t size);
  void clear();
  void append(const GridLimits& limits, std::size_t count);
  /// Entries [first, first + count) of another table.
  void append(const GridTable& other, std::size_t first, std::size_t count);
  /// As many unused entries as the widest vector has lanes.
  void pad();
};

/// One entry per grid, padded.
GridTable tableOf(std::span<const Grid> grids, const Codes& codes);

/// One grid per position of a row of `channels · inner` elements, padded.
GridTable expandGrids(const ChannelLayout& layout, std::span<const Grid> grids, const Codes& codes);
GridTable expandGrids(const ChannelLayout& layout, std::span<const Grid> grids, std::int32_t qmin,
                      std::int32_t qmax);

}  // namespace quantscope
