#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quantscope {

/// How many elements share one scale.
struct Granularity {
  enum class Kind : std::uint8_t { PerTensor, PerChannel, PerGroup };

  Kind kind = Kind::PerTensor;
  /// For PerChannel and PerGroup; nullopt = the operator's output-channel axis (PerChannel only).
  std::optional<int> axis;
  /// Consecutive elements along the axis that share a scale; the last group may be shorter.
  int groupSize = 0;

  friend bool operator==(const Granularity&, const Granularity&) = default;
};

/// "per-tensor", "per-channel", "per-channel:1", "per-group:0:32"
std::string toString(const Granularity& granularity);
/// The reverse; nothing where the text is not one of these.
std::optional<Granularity> granularityFromText(std::string_view text);

}  // namespace quantscope
