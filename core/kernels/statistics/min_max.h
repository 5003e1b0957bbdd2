#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "kernels/channel_layout.h"

namespace quantscope {

/// The smallest and largest finite element. Where there is none, min = FLT_MAX > max = −FLT_MAX.
struct MinMax {
  float min = std::numeric_limits<float>::max();
  float max = std::numeric_limits<float>::lowest();
  /// NaN and ±Inf: counted and skipped.
  std::size_t nonFinite = 0;

  bool empty() const { return min > max; }
  /// Takes the elements of `other` in; commutative and associative.
  void merge(const MinMax& other) {
    if (orderOf(other.min) < orderOf(min)) min = other.min;
    if (orderOf(other.max) > orderOf(max)) max = other.max;
    nonFinite += other.nonFinite;
  }
  friend bool operator==(const MinMax&, const MinMax&) = default;

  /// An integer for each finite float, in their order, −0 before 0, denormals where they belong: as
  /// floats compare only where the floating-point unit does not take those for 0.
  static std::int32_t orderOf(float value) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    return bits ^ ((bits >> 31) & std::numeric_limits<std::int32_t>::max());
  }
};

/// Extremes of the finite elements; denormals keep their value, −0 counts as 0, in every mode of
/// the floating-point unit.
MinMax minMax(std::span<const float> in);

/// result[c] takes in the elements of channel c, merged with its value. Throws InvalidParameters
/// where the lengths do not fit the layout.
void minMaxPerChannel(std::span<const float> in, ChannelLayout layout, std::span<MinMax> result);

}  // namespace quantscope
