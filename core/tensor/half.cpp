#include "tensor/half.h"

#include <immintrin.h>

#include <bit>
#include <cstdint>

#include "base/error.h"

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
    const std::uint32_t quiet = mantissa == 0 ? 0 : 0x400000U;
    return std::bit_cast<float>(sign | kFloatInfinity | quiet | (mantissa << 13));
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
  if (magnitude > kFloatInfinity) {
    return {static_cast<std::uint16_t>(sign | 0x7E00U | ((magnitude >> 13) & 0x3FFU))};
  }
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

namespace {

void requireEqual(std::size_t in, std::size_t out) {
  if (in == out) return;
  throw Error(ErrorCode::InvalidParameters, "arrays of different length cannot be converted");
}

// Both instructions round to nearest even and keep subnormal halves whatever the mode for
// denormals; a denormal float is below half of the smallest of them in either case.
constexpr std::size_t kLanes = 8;

__attribute__((target("avx,f16c"))) std::size_t widenVectors(std::span<const Float16> in,
                                                             std::span<float> out) {
  std::size_t i = 0;
  for (; i + kLanes <= in.size(); i += kLanes) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&in[i]));
    _mm256_storeu_ps(&out[i], _mm256_cvtph_ps(halves));
  }
  return i;
}

__attribute__((target("avx,f16c"))) std::size_t narrowVectors(std::span<const float> in,
                                                              std::span<Float16> out) {
  std::size_t i = 0;
  for (; i + kLanes <= in.size(); i += kLanes) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(&in[i]), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&out[i]), halves);
  }
  return i;
}

__attribute__((target("avx,f16c"))) std::size_t roundVectors(std::span<const float> in,
                                                             std::span<float> out) {
  std::size_t i = 0;
  for (; i + kLanes <= in.size(); i += kLanes) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(&in[i]), _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_ps(&out[i], _mm256_cvtph_ps(halves));
  }
  return i;
}

__attribute__((target("avx512f"))) std::size_t roundLongVectors(std::span<const float> in,
                                                                std::span<float> out) {
  constexpr __mmask16 kAll = 0xFFFF;  // without a mask GCC 12 warns of its own header
  std::size_t i = 0;
  for (; i + 2 * kLanes <= in.size(); i += 2 * kLanes) {
    const __m256i halves =
        _mm512_maskz_cvtps_ph(kAll, _mm512_loadu_ps(&in[i]), _MM_FROUND_TO_NEAREST_INT);
    _mm512_storeu_ps(&out[i], _mm512_maskz_cvtph_ps(kAll, halves));
  }
  return i;
}

bool hasConversion() {
  return __builtin_cpu_supports("f16c") && __builtin_cpu_supports("avx");
}

}  // namespace

void toFloat(std::span<const Float16> in, std::span<float> out) {
  requireEqual(in.size(), out.size());
  std::size_t i = hasConversion() ? widenVectors(in, out) : 0;
  for (; i < in.size(); ++i) out[i] = toFloat(in[i]);
}

void toFloat16(std::span<const float> in, std::span<Float16> out) {
  requireEqual(in.size(), out.size());
  std::size_t i = hasConversion() ? narrowVectors(in, out) : 0;
  for (; i < in.size(); ++i) out[i] = toFloat16(in[i]);
}

void roundToFloat16(std::span<const float> in, std::span<float> out) {
  requireEqual(in.size(), out.size());
  std::size_t i = 0;
  if (__builtin_cpu_supports("avx512f")) {
    i = roundLongVectors(in, out);
  } else if (hasConversion()) {
    i = roundVectors(in, out);
  }
  for (; i < in.size(); ++i) out[i] = toFloat(toFloat16(in[i]));
}

}  // namespace quantscope
