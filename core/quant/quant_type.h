#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace quantscope {

/// What a value can be quantized to.
enum class QuantType : std::uint8_t { Float32, Int8, UInt8 };

/// Name on the command line and in files: "fp32", "int8", "uint8".
std::string_view name(QuantType type);
std::optional<QuantType> quantTypeFromName(std::string_view name);

constexpr bool isInteger(QuantType type) { return type != QuantType::Float32; }
/// Bits that one code takes in storage.
constexpr int bitWidth(QuantType type) { return type == QuantType::Float32 ? 32 : 8; }
/// Lowest and highest code of an integer type.
constexpr std::int32_t lowestCode(QuantType type) { return type == QuantType::Int8 ? -128 : 0; }
constexpr std::int32_t highestCode(QuantType type) { return type == QuantType::Int8 ? 127 : 255; }

}  // namespace quantscope
