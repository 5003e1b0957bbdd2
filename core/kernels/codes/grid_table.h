#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/aligned_vector.h"
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
/// The limits of a grid of integers.
GridLimits gridLimits(const Grid& grid, std::int32_t qmin, std::int32_t qmax);

/// Below it, the quotient of a denormal may be a normal number, and the product with a small code a
/// denormal; such values are computed in ways that do not depend on flushing.
constexpr float kTinyScale = 0x1p-100F;

/// The property of scales that a kernel may rely on.
enum class Scales : std::uint8_t { Any, NotTiny };

/// One grid per position, as columns to load vectors from. Padded with harmless entries, so that a
/// vector may be loaded at any position.
class GridTable {
 public:
  explicit GridTable(std::size_t size);

  /// `count` entries from `first` on become that of `limits`. Up to 16 entries behind them lose
  /// their meaning: short runs are written as whole vectors, in rising order.
  void fill(std::size_t first, std::size_t count, const GridLimits& limits);
  /// Entries [from, from + count) of another table are copied to those from `first` on; as above.
  void copy(std::size_t first, const GridTable& other, std::size_t from, std::size_t count);
  GridLimits operator[](std::size_t i) const { return {scale[i], low[i], high[i]}; }

  AlignedVector<float> scale;
  AlignedVector<float> low;
  AlignedVector<float> high;
};

/// Throws InvalidParameters where gridLimits would for one of them. NotTiny where no scale is below
/// kTinyScale.
Scales requireSound(std::span<const Grid> grids, const Codes& codes);

/// One entry per grid, padded.
GridTable tableOf(std::span<const Grid> grids, const Codes& codes);
/// The same into the first entries of a table that is large enough; the grids are known to be
/// sound.
void setLimits(std::span<const Grid> grids, const Codes& codes, GridTable& table);

/// One grid per position of a row of `channels · inner` elements, padded.
GridTable expandGrids(const ChannelLayout& layout, std::span<const Grid> grids, const Codes& codes);
/// The same of grids that are known to be sound.
GridTable expandSoundGrids(const ChannelLayout& layout, std::span<const Grid> grids,
                           const Codes& codes);
GridTable expandGrids(const ChannelLayout& layout, std::span<const Grid> grids, std::int32_t qmin,
                      std::int32_t qmax);

}  // namespace quantscope
