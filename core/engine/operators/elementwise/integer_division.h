#pragma once

#include <type_traits>

#include "base/error.h"

namespace quantscope {

/// Throws InvalidData for a divisor of 0.
template <class T>
void requireDivisor(T divisor) {
  if (divisor == 0) {
    throw Error(ErrorCode::InvalidData, "an integer is divided by zero", {},
                "check the values that reach this node");
  }
}

/// a / b rounded towards zero; the smallest integer divided by −1 wraps around to itself.
/// Throws InvalidData for b = 0.
template <class T>
T truncatedQuotient(T a, T b) {
  requireDivisor(b);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
  }
  return static_cast<T>(a / b);
}

/// a − b·(a / b) rounded towards zero: the sign of a (C, NumPy's fmod). Throws for b = 0.
template <class T>
T truncatedRemainder(T a, T b) {
  requireDivisor(b);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

/// The remainder with the sign of b (Python, NumPy's mod). Throws for b = 0.
template <class T>
T flooredRemainder(T a, T b) {
  const T remainder = truncatedRemainder(a, b);
  const bool correct = remainder == 0 || (remainder < 0) == (b < 0);
  return correct ? remainder : static_cast<T>(remainder + b);
}

}  // namespace quantscope
