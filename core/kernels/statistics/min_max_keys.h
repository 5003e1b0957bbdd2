#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/aligned_vector.h"
#include "kernels/statistics/min_max.h"

namespace quantscope {

/// MinMax on the integers that order as the floats do: the bit pattern, its lower 31 bits flipped
/// where the sign is set.
struct MinMaxKeys {
  static constexpr std::int32_t kHighest = 0x7F7FFFFF;  // FLT_MAX
  static constexpr std::int32_t kLowest = ~kHighest;    // −FLT_MAX

  std::int32_t min = kHighest;
  std::int32_t max = kLowest;
  std::int32_t nonFinite = 0;

  static std::int32_t of(float value) { return MinMax::orderOf(value); }

  void include(float value) {
    const std::int32_t key = of(value);
    if (key > kHighest || key < kLowest) {
      ++nonFinite;
      return;
    }
    min = std::min(min, key);
    max = std::max(max, key);
  }

  MinMax toMinMax() const {
    return {toFloat(min), toFloat(max), static_cast<std::size_t>(nonFinite)};
  }

 private:
  // An involution: the key of a pattern and the pattern of a key.
  static std::int32_t flip(std::int32_t bits) { return bits ^ ((bits >> 31) & 0x7FFFFFFF); }

  // −1 is the key of −0, which is reported as 0.
  static float toFloat(std::int32_t key) { return std::bit_cast<float>(key == -1 ? 0 : flip(key)); }
};

/// One MinMaxKeys per position of a row, as columns to load vectors from.
struct MinMaxColumns {
  explicit MinMaxColumns(std::size_t width)
      : min(width, MinMaxKeys::kHighest), max(width, MinMaxKeys::kLowest), nonFinite(width, 0) {}

  AlignedVector<std::int32_t> min;
  AlignedVector<std::int32_t> max;
  AlignedVector<std::int32_t> nonFinite;

  MinMaxKeys operator[](std::size_t i) const { return {min[i], max[i], nonFinite[i]}; }
  void include(std::size_t i, float value) {
    MinMaxKeys keys = (*this)[i];
    keys.include(value);
    min[i] = keys.min;
    max[i] = keys.max;
    nonFinite[i] = keys.nonFinite;
  }
};

}  // namespace quantscope
