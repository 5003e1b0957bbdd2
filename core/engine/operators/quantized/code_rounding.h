#pragma once

#include <cstdint>
#include <limits>

namespace quantscope {

/// saturate(round(x) + zeroPoint) as a code of type T (at most 16 bits), ties to even; NaN becomes
/// the lowest code. Written without branches and calls, so that loops become vector code.
template <class T>
T roundToCode(float x, std::int32_t zeroPoint) {
  static_assert(sizeof(T) <= 2);
  // Beyond every code, and small enough for the rounding below.
  constexpr float kLimit = 200000.0F;
  // Added and taken away again, this rounds to an integer, as float has no bits left behind it.
  constexpr float kRounder = 12582912.0F;
  const float low = x > -kLimit ? x : -kLimit;
  const float clamped = low < kLimit ? low : kLimit;
  const float rounded = (clamped + kRounder) - kRounder;
  const std::int32_t code = static_cast<std::int32_t>(rounded) + zeroPoint;
  constexpr std::int32_t kLowest = std::numeric_limits<T>::lowest();
  constexpr std::int32_t kHighest = std::numeric_limits<T>::max();
  const std::int32_t atLeast = code > kLowest ? code : kLowest;
  return static_cast<T>(atLeast < kHighest ? atLeast : kHighest);
}

}  // namespace quantscope
