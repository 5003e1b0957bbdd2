#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace quantscope {

/// What a value can be quantized to. Float32 = left as it is.
enum class QuantType : std::uint8_t {
  Float32,
  Int16,
  UInt16,
  Int8,
  UInt8,
  Int4,
  UInt4,
  Int2,
  UInt2,
};

/// Name on the command line and in files: "fp32", "int8", "uint4".
std::string_view name(QuantType type);
std::optional<QuantType> quantTypeFromName(std::string_view name);

constexpr bool isInteger(QuantType type) {
  return type != QuantType::Float32;
}
/// Bits that one code takes in storage.
int bitWidth(QuantType type);
bool isSigned(QuantType type);
/// Lowest and highest code of an integer type.
std::int32_t lowestCode(QuantType type);
std::int32_t highestCode(QuantType type);

}  // namespace quantscope
