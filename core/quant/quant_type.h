#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quantscope {

/// The type that a value is quantized to. Float32 = not quantized.
enum class QuantType : std::uint8_t {
  Float32,
  Float16,
  BFloat16,
  Float8E4M3,  ///< the "fn" variant: no infinities, one NaN
  Float8E5M2,
  Int16,
  UInt16,
  Int8,
  UInt8,
  Int4,
  UInt4,
  Int2,
  UInt2,
  Ternary,  ///< −1, 0, 1
  Binary,   ///< −1, 1
};

/// Name on the command line and in files: "fp32", "int8", "uint4".
std::string_view name(QuantType type);
std::optional<QuantType> quantTypeFromName(std::string_view name);
/// All names, "fp32, fp16, …", for messages.
std::string quantTypeNames();

constexpr bool isQuantized(QuantType type) {
  return type != QuantType::Float32;
}
/// Codes are neighbouring integers with a scale and a zero point.
constexpr bool isInteger(QuantType type) {
  return type >= QuantType::Int16 && type <= QuantType::UInt2;
}
/// Codes are floating-point numbers of fewer bits.
constexpr bool isFloatFormat(QuantType type) {
  return type >= QuantType::Float16 && type <= QuantType::Float8E5M2;
}
/// Codes are signs: what they stand for follows from the mean magnitude, not from a range.
constexpr bool isSignCode(QuantType type) {
  return type == QuantType::Ternary || type == QuantType::Binary;
}
/// Numbers are divided by a scale before they are rounded; half types are rounded as they are.
constexpr bool hasScale(QuantType type) {
  return type >= QuantType::Float8E4M3;
}
/// Integer types alone have a zero point.
constexpr bool canBeAsymmetric(QuantType type) {
  return isInteger(type);
}

/// Bits that one code takes in storage.
int bitWidth(QuantType type);
/// Different codes: 256 for 8 bits, 3 for ternary.
int levelCount(QuantType type);
bool isSigned(QuantType type);
/// An integer type of the same width, signed or not; other types stay as they are.
QuantType withSign(QuantType type, bool wantsSigned);
/// withSign() of the signed one.
QuantType signedType(QuantType type);
/// Lowest and highest code; 0 for float formats, whose codes are no integers.
std::int32_t lowestCode(QuantType type);
std::int32_t highestCode(QuantType type);

/// Largest finite number of a float format: 448, 57344, 65504, 0x1.FEp127.
float largestNumber(QuantType type);
/// Explicit bits of a float format's significand: 3, 2, 10, 7.
int mantissaBits(QuantType type);

}  // namespace quantscope
