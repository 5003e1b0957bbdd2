#pragma once

#include <bit>
#include <cstdint>

namespace quantscope {

// Functions without branches and calls, so that the compiler turns a loop over them into vector
// code. Bits do not depend on the instruction set.

/// eˣ with a relative error below 3·10⁻⁷; 0 below −86.9 (where float nears its
/// denormals), ∞ above
/// 88.7; NaN stays NaN.
inline float fastExp(float x) {
  constexpr float kLowest = -86.9F;
  constexpr float kHighest = 89.0F;
  constexpr float kLog2E = 1.44269504F;
  // ln 2 in two parts: n times the first is exact for every n that occurs.
  constexpr float kLn2High = 0.693359375F;
  constexpr float kLn2Low = -2.12194440e-4F;
  // Added and taken away again, this rounds to an integer and leaves it in the low bits.
  constexpr float kRounder = 12582912.0F;

  const float clamped = x < kLowest ? kLowest : (x > kHighest ? kHighest : x);
  const float shifted = clamped * kLog2E + kRounder;
  const float n = shifted - kRounder;
  const float r = (clamped - n * kLn2High) - n * kLn2Low;
  // Taylor's series: |r| ≤ ln 2 / 2, the first term left out is below 6·10⁻⁹.
  float p = 1.0F / 5040;
  p = p * r + 1.0F / 720;
  p = p * r + 1.0F / 120;
  p = p * r + 1.0F / 24;
  p = p * r + 1.0F / 6;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  // 2ⁿ as 2ⁿ⁻¹ · 2: n reaches 128, one more than an exponent can hold.
  const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(shifted) + 126U) << 23;
  const float result = p * std::bit_cast<float>(exponent) * 2.0F;
  return x < kLowest ? 0.0F : result;
}

/// 1 / (1 + e⁻ˣ) with a relative error below 10⁻⁶ down to x = −86.
inline float fastSigmoid(float x) {
  return 1.0F / (1.0F + fastExp(-x));
}

/// tanh x with a relative error below 10⁻⁶.
inline float fastTanh(float x) {
  constexpr float kSmall = 0.625F;
  const float magnitude = x < 0 ? -x : x;
  const float large = 1.0F - 2.0F / (fastExp(2.0F * magnitude) + 1.0F);
  // Near zero that difference cancels; (tanh x − x) / x³ is smooth in x². Minimax fit on
  // [0, 0.625] by iteratively reweighted least squares, error 5·10⁻⁹.
  const float square = x * x;
  float p = -5.704967771e-3F;
  p = p * square + 2.063906938e-2F;
  p = p * square - 5.373970792e-2F;
  p = p * square + 1.333144158e-1F;
  p = p * square - 3.333328068e-1F;
  const float small = x * (1.0F + square * p);
  const float signedLarge = x < 0 ? -large : large;
  return magnitude < kSmall ? small : signedLarge;
}

}  // namespace quantscope
