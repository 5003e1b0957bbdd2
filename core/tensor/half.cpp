#include "tensor/half.h"

#include <bit>
#include <cstdint>

namespace quantscope {
namespace {

constexpr std::uint32_t kFloatSign = 0x80000000U;
constexpr std::uint32_t kFloatInfinity = 0x7F800000U;

// `bits` shifted right by `shift` ≥ 1, rounded to nearest, ties to even.
std::uint32_t shiftRightRounded(std::uint32_t bits, unsigned shift) {
  if (shift > 31) return 0;
  const std::uint32_t kept = bits >> shift;
  const std::uint32_t rest = bits & ((1U << shift) - 1);
  const std::uint32_t half = 1U << (shift - 1);
  return kept + ((rest > half || (rest == half && (kept & 1U))) ? 1 : 0);
}

}  // namespace

// Integer arithmetic throughout: the result must not depend on whether denormals are flushed.
float toFloat(Float16 value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000U) << 16;
  const std::uint32_t exponent = (value.bits >> 10) & 0x1FU;
  std::uint32_t mantissa = value.bits & 0x3FFU;
  if (exponent == 0x1F) {
    return std::bit_cast<float>(sign | kFloatInfinity | (mantissa << 13));
  }
  if (exponent != 0) {
    return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  }
  if (mantissa == 0) return std::bit_cast<float>(sign);
  const unsigned shift = static_cast<unsigned>(std::countl_zero(mantissa)) - 21;
  mantissa = (mantissa << shift) & 0x3FFU;
  return std::bit_cast<float>(sign | ((113 - shift) << 23) | (mantissa << 13));
}

float toFloat(BFloat16 value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16);
}

Float16 toFloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits & kFloatSign) >> 16);
  const std::uint32_t magnitude = bits & ~kFloatSign;
  if (magnitude > kFloatInfinity) return {static_cast<std::uint16_t>(sign | 0x7E00U)};
  // 65520 and above rounds to infinity.
  if (magnitude >= 0x477FF000U) return {static_cast<std::uint16_t>(sign | 0x7C00U)};
  if (magnitude >= 0x38800000U) {
    const std::uint32_t rounded = shiftRightRounded(magnitude - (112U << 23), 13);
    return {static_cast<std::uint16_t>(sign | rounded)};
  }
  const std::uint32_t exponent = magnitude >> 23;
  const std::uint32_t mantissa = (magnitude & 0x7FFFFFU) | 0x800000U;
  const std::uint32_t rounded = exponent == 0 ? 0 : shiftRightRounded(mantissa, 126 - exponent);
  return {static_cast<std::uint16_t>(sign | rounded)};
}

BFloat16 toBFloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & ~kFloatSign) > kFloatInfinity) {
    return {static_cast<std::uint16_t>((bits >> 16) | 0x0040U)};
  }
  return {static_cast<std::uint16_t>(shiftRightRounded(bits, 16))};
}

}  // namespace quantscope
