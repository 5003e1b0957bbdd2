#include "quant/granularity.h"

#include <charconv>

namespace quantscope {
namespace {

std::optional<int> number(std::string_view text) {
  int result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return result;
}

}  // namespace

std::string toString(const Granularity& granularity) {
  switch (granularity.kind) {
    case Granularity::Kind::PerTensor:
      return "per-tensor";
    case Granularity::Kind::PerChannel:
      return granularity.axis ? "per-channel:" + std::to_string(*granularity.axis) : "per-channel";
    case Granularity::Kind::PerGroup:
      break;
  }
  return "per-group:" + std::to_string(granularity.axis.value_or(0)) + ":" +
         std::to_string(granularity.groupSize);
}

std::optional<Granularity> granularityFromText(std::string_view text) {
  using Kind = Granularity::Kind;
  if (text == "per-tensor") return Granularity{};
  if (text == "per-channel") return Granularity{Kind::PerChannel, std::nullopt, 0};

  constexpr std::string_view kChannel = "per-channel:";
  if (text.starts_with(kChannel)) {
    const std::optional<int> axis = number(text.substr(kChannel.size()));
    if (!axis) return std::nullopt;
    return Granularity{Kind::PerChannel, axis, 0};
  }
  constexpr std::string_view kGroup = "per-group:";
  if (!text.starts_with(kGroup)) return std::nullopt;
  text.remove_prefix(kGroup.size());
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<int> axis = number(text.substr(0, colon));
  const std::optional<int> size = number(text.substr(colon + 1));
  if (!axis || !size || *size < 1) return std::nullopt;
  return Granularity{Kind::PerGroup, axis, *size};
}

}  // namespace quantscope
