#pragma once

#include <cstddef>
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
  void merge(const MinMax& other);
  friend bool operator==(const MinMax&, const MinMax&) = default;
};

/// Over the finite elements; denormals count as what they are, −0 as 0, in every mode of the
/// floating-point unit.
MinMax minMax(std::span<const float> in);

/// result[c] takes the elements of channel c in: merges into what is there.
/// Throws InvalidParameters where the lengths do not fit the layout.
void minMaxPerChannel(std::span<const float> in, ChannelLayout layout, std::span<MinMax> result);

}  // namespace quantscope
