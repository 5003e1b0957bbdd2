#include "quant/quant_type.h"

#include <array>
#include <utility>

namespace quantscope {
namespace {

constexpr std::array<std::pair<QuantType, std::string_view>, 3> kNames{{
    {QuantType::Float32, "fp32"},
    {QuantType::Int8, "int8"},
    {QuantType::UInt8, "uint8"},
}};

}  // namespace

std::string_view name(QuantType type) {
  for (const auto& [candidate, text] : kNames) {
    if (candidate == type) return text;
  }
  return "unknown";
}

std::optional<QuantType> quantTypeFromName(std::string_view name) {
  for (const auto& [candidate, text] : kNames) {
    if (text == name) return candidate;
  }
  return std::nullopt;
}

}  // namespace quantscope
