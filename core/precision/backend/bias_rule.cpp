#include "precision/backend/bias_rule.h"

#include "precision/config/json_reader.h"

namespace quantscope {

const char* name(BiasRule rule) {
  switch (rule) {
    case BiasRule::Float:
      return "float";
    case BiasRule::Int32:
      return "int32";
    case BiasRule::Int32Fit:
      return "int32-fit";
  }
  return "";
}

std::optional<BiasRule> biasRuleFromName(std::string_view text) {
  for (const BiasRule rule : {BiasRule::Float, BiasRule::Int32, BiasRule::Int32Fit}) {
    if (text == name(rule)) return rule;
  }
  return std::nullopt;
}

BiasRule readBiasRule(const JsonReader& reader) {
  const std::optional<BiasRule> rule = biasRuleFromName(reader.text());
  if (!rule) {
    reader.fail("is the unknown rule '" + reader.text() + "'", "use float, int32 or int32-fit");
  }
  return *rule;
}

}  // namespace quantscope
