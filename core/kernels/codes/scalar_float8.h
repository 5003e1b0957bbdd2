#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

namespace quantscope {

/// x as a double, also where the floating-point unit takes denormal floats for 0.
inline double exactDouble(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if ((bits & 0x7F800000U) != 0) return x;
  return std::copysign(static_cast<double>(bits & 0x007FFFFFU) * 0x1p-149, x);
}

/// x ≥ 0 rounded once to float, a denormal in every mode of the floating-point unit.
inline float exactFloat(double x) {
  if (x >= 0x1p-126) return static_cast<float>(x);
  return std::bit_cast<float>(static_cast<std::uint32_t>(std::nearbyint(x * 0x1p149)));
}

/// The result of round_to_type-inl.h for scales so small that products are denormals: x / scale
/// rounded to nearest even, saturated, times the scale.
inline float roundToFloat8(float x, float scale, int mantissaBits, int minExponent, float largest) {
  if (std::isnan(x)) return x;
  const double quotient =
      std::min(std::abs(exactDouble(x)) / static_cast<double>(scale), double{largest});
  const auto rounded = static_cast<double>(static_cast<float>(quotient));
  const int exponent = rounded == 0 ? minExponent : std::max(std::ilogb(rounded), minExponent);
  const double step = std::ldexp(1.0, exponent - mantissaBits);
  const double real = std::nearbyint(rounded / step) * step * static_cast<double>(scale);
  return std::copysign(exactFloat(real), x);
}

}  // namespace quantscope
