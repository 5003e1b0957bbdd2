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
};

constexpr std::array<TypeFacts, 9> kTypes{{
    {QuantType::Float32, "fp32", 32, true},
    {QuantType::Int16, "int16", 16, true},
    {QuantType::UInt16, "uint16", 16, false},
    {QuantType::Int8, "int8", 8, true},
    {QuantType::UInt8, "uint8", 8, false},
    {QuantType::Int4, "int4", 4, true},
    {QuantType::UInt4, "uint4", 4, false},
    {QuantType::Int2, "int2", 2, true},
    {QuantType::UInt2, "uint2", 2, false},
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

int bitWidth(QuantType type) {
  return facts(type).bits;
}

bool isSigned(QuantType type) {
  return facts(type).isSigned;
}

std::int32_t lowestCode(QuantType type) {
  return isSigned(type) ? -(1 << (bitWidth(type) - 1)) : 0;
}

std::int32_t highestCode(QuantType type) {
  return (1 << (isSigned(type) ? bitWidth(type) - 1 : bitWidth(type))) - 1;
}

}  // namespace quantscope
