#include "search/profiles/profile_prior.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/files/input_file.h"
#include "precision/config/json_reader.h"

namespace quantscope {
namespace {

constexpr std::uint64_t kMostStrategyBytes = std::uint64_t{1} << 20;
constexpr float kExcluded = -std::numeric_limits<float>::infinity();

// The values for a missing profile entry: the gain counts less in a score than in the result.
constexpr float kUnknownLoss = 0.1F;
constexpr float kUnknownSpeedupInScore = 1.1F;
constexpr float kUnknownSpeedup = 1.2F;
constexpr float kLowConfidence = 0.5F;

const std::string kStrategy = "the strategy";

std::size_t at(Scheme scheme) {
  return static_cast<std::size_t>(scheme);
}

float lossOf(const PrecisionProfile& profile, Scheme scheme) {
  return profile.accuracyLoss[at(scheme)].value_or(kUnknownLoss);
}

// The bonus of a sensitive layer, in units of a score.
float sensitivityBonus(Scheme scheme, float int16, float int8) {
  if (scheme == Scheme::Int16) return int16;
  return scheme == Scheme::Int8 ? int8 : 0.0F;
}

float priorityOf(Scheme scheme, const Strategy& strategy) {
  switch (scheme) {
    case Scheme::Int8:
      return strategy.int8Priority;
    case Scheme::Int16:
      return strategy.int16Priority;
    case Scheme::Dynamic:
      return strategy.dynamicPriority;
    case Scheme::Float32:
      break;
  }
  return strategy.fp32Priority;
}

float confidenceOf(const PrecisionProfile& profile, Scheme scheme) {
  constexpr std::array<float, kSchemes> kByScheme{0.9F, 0.85F, 0.7F, 0.6F};
  const float base = profile.sensitive ? 0.75F : 0.9F;
  const float bonus = scheme == profile.recommended ? 1.1F : 1.0F;
  return std::min(base * kByScheme[at(scheme)] * bonus, 1.0F);
}

std::string reasonFor(const PrecisionProfile& profile, std::string_view op, Scheme scheme) {
  constexpr std::array<std::string_view, kSchemes> kTitles{"INT8", "INT16", "Dynamic", "FP32"};
  const std::string title(kTitles[at(scheme)]);
  const std::string subject = "Operation '" + std::string(op) + "' is ";
  if (profile.sensitive) {
    return subject + "quantization-sensitive. " + title +
           " provides good balance of performance and accuracy.";
  }
  return subject + "quantization-friendly. " + title +
         " offers optimal performance with minimal accuracy loss.";
}

std::optional<Scheme> bestScheme(const PrecisionProfile& profile, const Criteria& criteria,
                                 const Strategy& strategy) {
  std::optional<Scheme> best;
  float bestScore = kExcluded;
  for (const Scheme scheme : {Scheme::Int8, Scheme::Int16, Scheme::Dynamic}) {
    const float score = profileScore(profile, scheme, criteria, strategy);
    if (score <= bestScore) continue;
    best = scheme;
    bestScore = score;
  }
  return best;
}

Scheme fallback(const PrecisionProfile& profile, const Criteria& criteria) {
  if (criteria.kind == Criteria::Kind::Custom) {
    for (const Scheme scheme : {Scheme::Int16, Scheme::Dynamic, Scheme::Int8}) {
      if (lossOf(profile, scheme) <= criteria.maxAccuracyLoss) return scheme;
    }
  }
  return Scheme::Int16;
}

std::optional<float> parseNumber(std::string_view text) {
  float number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const bool whole = error == std::errc() && rest == end && number >= 0;
  return whole && number < std::numeric_limits<float>::infinity() ? std::optional(number)
                                                                  : std::nullopt;
}

}  // namespace

Criteria parseCriteria(std::string_view text) {
  using Kind = Criteria::Kind;
  if (text == "performance") return {Kind::Performance};
  if (text == "balanced") return {Kind::Balanced};
  if (text == "accuracy") return {Kind::Accuracy};
  constexpr std::string_view kCustom = "custom:";
  if (text.starts_with(kCustom)) {
    const std::string_view figures = text.substr(kCustom.size());
    const std::size_t colon = figures.find(':');
    const std::optional<float> loss = parseNumber(figures.substr(0, colon));
    const std::optional<float> speedup =
        colon == std::string_view::npos ? std::nullopt : parseNumber(figures.substr(colon + 1));
    if (loss && speedup) return {Kind::Custom, *loss, *speedup};
  }
  throw Error(ErrorCode::InvalidParameters, "'" + std::string(text) + "' are no criteria", {},
              "write performance, balanced, accuracy or custom:LOSS:SPEEDUP, such as "
              "custom:0.02:1.5");
}

Strategy parseStrategy(std::string_view json, const std::string& source) {
  const JsonReader::Json parsed = parseStrictJson(json, source, kStrategy);
  const JsonReader reader(parsed, source, kStrategy);
  Strategy strategy;
  const std::array<std::pair<const char*, float*>, 6> fields{
      {{"int8_priority", &strategy.int8Priority},
       {"int16_priority", &strategy.int16Priority},
       {"dynamic_priority", &strategy.dynamicPriority},
       {"fp32_priority", &strategy.fp32Priority},
       {"performance_weight", &strategy.performanceWeight},
       {"accuracy_weight", &strategy.accuracyWeight}}};
  std::set<std::string> keys;
  for (const auto& [key, field] : fields) keys.insert(key);
  reader.requireKeys(keys);
  for (const auto& [key, field] : fields) {
    if (!reader.has(key)) continue;
    const JsonReader number = reader[key];
    *field = number.real();
    if (*field < 0) number.fail("is negative", "write 0 or more");
  }
  return strategy;
}

Strategy readStrategy(const std::filesystem::path& file) {
  return parseStrategy(readFile(file, kMostStrategyBytes), file.string());
}

float profileScore(const PrecisionProfile& profile, Scheme scheme, const Criteria& criteria,
                   const Strategy& strategy) {
  const float loss = lossOf(profile, scheme);
  const float gain = profile.speedup[at(scheme)].value_or(kUnknownSpeedupInScore);
  const float accuracy = (1.0F - loss) * strategy.accuracyWeight;
  const float performance = (gain - 1.0F) * strategy.performanceWeight;
  float score = accuracy + performance;
  switch (criteria.kind) {
    case Criteria::Kind::Performance:
      score = performance * 2.0F + accuracy;
      break;
    case Criteria::Kind::Accuracy:
      score = profile.sensitive
                  ? accuracy * 3.0F + performance * 0.5F + sensitivityBonus(scheme, 2.0F, -1.0F)
                  : accuracy * 2.0F + performance;
      break;
    case Criteria::Kind::Balanced:
      if (profile.sensitive) score += sensitivityBonus(scheme, 1.0F, -0.5F);
      break;
    case Criteria::Kind::Custom:
      if (loss > criteria.maxAccuracyLoss || gain < criteria.minSpeedup) return kExcluded;
      break;
  }
  return score * priorityOf(scheme, strategy);
}

ProfileChoice chooseByProfile(const PrecisionProfile& profile, std::string_view op,
                              const Criteria& criteria, const Strategy& strategy) {
  const std::optional<Scheme> best = bestScheme(profile, criteria, strategy);
  ProfileChoice choice;
  choice.scheme = best.value_or(fallback(profile, criteria));
  choice.accuracyLoss = lossOf(profile, choice.scheme);
  choice.speedup = profile.speedup[at(choice.scheme)].value_or(kUnknownSpeedup);
  choice.confidence = confidenceOf(profile, choice.scheme);
  choice.text =
      best ? reasonFor(profile, op, choice.scheme)
           : "Fallback selection for '" + std::string(op) + "' due to constraint violations";
  if (choice.confidence < kLowConfidence) {
    choice.scheme = Scheme::Int16;
    choice.text = "Conservative choice due to low confidence: " + choice.text;
  }
  return choice;
}

}  // namespace quantscope
