#include "quant/quant_type.h"

#include <algorithm>
#include <array>

namespace quantscope {
namespace {

struct TypeFacts {
  QuantType type;
  std::string_view name;
  int bits;
  bool isSigned;
  int mantissaBits = 0;
  float largest = 0;
};

constexpr std::array<TypeFacts, 15> kTypes{{
    {QuantType::Float32, "fp32", 32, true, 23, 0x1.FFFFFEp127F},
    {QuantType::Float16, "fp16", 16, true, 10, 65504},
    {QuantType::BFloat16, "bf16", 16, true, 7, 0x1.FEp127F},
    {QuantType::Float8E4M3, "fp8e4m3", 8, true, 3, 448},
    {QuantType::Float8E5M2, "fp8e5m2", 8, true, 2, 57344},
    {QuantType::Int16, "int16", 16, true},
    {QuantType::UInt16, "uint16", 16, false},
    {QuantType::Int8, "int8", 8, true},
    {QuantType::UInt8, "uint8", 8, false},
    {QuantType::Int4, "int4", 4, true},
    {QuantType::UInt4, "uint4", 4, false},
    {QuantType::Int2, "int2", 2, true},
    {QuantType::UInt2, "uint2", 2, false},
    {QuantType::Ternary, "ternary", 2, true},
    {QuantType::Binary, "binary", 1, true},
}};

const TypeFacts& facts(QuantType type) {
  return kTypes[static_cast<std::size_t>(type)];
}

}  // namespace

std::string_view name(QuantType type) {
  return facts(type).name;
}

std::optional<QuantType> quantTypeFromName(std::string_view name) {
  const auto found = std::ranges::find(kTypes, name, &TypeFacts::name);
  if (found == kTypes.end()) return std::nullopt;
  return found->type;
}

std::string quantTypeNames() {
  std::string names;
  for (const TypeFacts& type : kTypes) {
    names += (names.empty() ? "" : ", ") + std::string(type.name);
  }
  return names;
}

int bitWidth(QuantType type) {
  return facts(type).bits;
}

int levelCount(QuantType type) {
  return type == QuantType::Ternary ? 3 : 1 << std::min(bitWidth(type), 16);
}

bool isSigned(QuantType type) {
  return facts(type).isSigned;
}

// The integer types stand in pairs, the signed one first.
QuantType withSign(QuantType type, bool wantsSigned) {
  if (!isInteger(type) || isSigned(type) == wantsSigned) return type;
  const int step = wantsSigned ? -1 : 1;
  return static_cast<QuantType>(static_cast<int>(type) + step);
}

QuantType signedType(QuantType type) {
  return withSign(type, true);
}

std::int32_t lowestCode(QuantType type) {
  if (isSignCode(type)) return -1;
  return isInteger(type) && isSigned(type) ? -(1 << (bitWidth(type) - 1)) : 0;
}

std::int32_t highestCode(QuantType type) {
  if (isSignCode(type)) return 1;
  if (!isInteger(type)) return 0;
  return (1 << (isSigned(type) ? bitWidth(type) - 1 : bitWidth(type))) - 1;
}

float largestNumber(QuantType type) {
  return facts(type).largest;
}

int mantissaBits(QuantType type) {
  return facts(type).mantissaBits;
}

}  // namespace quantscope
