#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "search/profiles/profile_table.h"

namespace quantscope {

/// The criteria of a choice by profiles.
struct Criteria {
  enum class Kind : std::uint8_t { Performance, Balanced, Accuracy, Custom };
  Kind kind = Kind::Balanced;
  float maxAccuracyLoss = 0;  ///< of Custom: a share, 0 … 1
  float minSpeedup = 0;       ///< of Custom: a multiple of float32's speed
};

/// "performance", "balanced", "accuracy" or "custom:LOSS:SPEEDUP".
/// Throws InvalidParameters for any other text.
Criteria parseCriteria(std::string_view text);

/// How much each scheme is liked, and what counts.
struct Strategy {
  float int8Priority = 0.8F;
  float int16Priority = 0.6F;
  float dynamicPriority = 0.4F;
  float fp32Priority = 0.2F;
  float performanceWeight = 0.5F;
  float accuracyWeight = 0.5F;
};

/// Parses {"int8_priority", "int16_priority", "dynamic_priority", "fp32_priority",
/// "performance_weight", "accuracy_weight"}; a key that is missing keeps its default. Strict:
/// unknown keys and negative numbers are Error(InvalidConfiguration) with their path.
Strategy parseStrategy(std::string_view json, const std::string& source);
Strategy readStrategy(const std::filesystem::path& file);

/// The scheme for one operator, and what is expected of it.
struct ProfileChoice {
  Scheme scheme = Scheme::Int16;
  float accuracyLoss = 0;  ///< share, 0 … 1
  float speedup = 1;       ///< multiple of float32's speed
  float confidence = 0;    ///< 0 … 1
  std::string text;        ///< why
};

/// Chooses for an operator `op` by its profile. Of int8, int16 and dynamic the one with the highest
/// score; where custom criteria exclude them all, the first of int16, dynamic and int8 that is
/// accurate enough, else int16. All arithmetic is in float32. Source: the automatic precision
/// selector of torsh-fx 0.1.2.
ProfileChoice chooseByProfile(const PrecisionProfile& profile, std::string_view op,
                              const Criteria& criteria, const Strategy& strategy);

/// The score of one scheme; −∞ where custom criteria exclude it.
float profileScore(const PrecisionProfile& profile, Scheme scheme, const Criteria& criteria,
                   const Strategy& strategy);

}  // namespace quantscope
