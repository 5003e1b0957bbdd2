#include "compare/matching/match_values.h"

#include <array>

#include "compare/matching/value_matcher.h"

namespace quantscope {

std::string_view name(MatchReason reason) {
  constexpr std::array<std::string_view, 4> kNames{"hand", "name", "structure", "values"};
  return kNames.at(static_cast<std::size_t>(reason));
}

std::string_view plainName(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kSuffixes{"_QuantizeLinear_Input",
                                                             "_QuantizeLinear_Output",
                                                             "_DequantizeLinear_Output",
                                                             "_quantized",
                                                             "_dequantized",
                                                             "_QuantizeLinear",
                                                             "_DequantizeLinear",
                                                             "_quant",
                                                             "_dequant"};
  for (const std::string_view suffix : kSuffixes) {
    if (name.size() > suffix.size() && name.ends_with(suffix)) {
      return name.substr(0, name.size() - suffix.size());
    }
  }
  return name;
}

std::vector<ValueMatch> matchValues(const ComparedModel& first,
                                    const std::vector<ValuePrint>& firstPrints,
                                    const ComparedModel& second,
                                    const std::vector<ValuePrint>& secondPrints,
                                    const HandMatches& byHand) {
  return ValueMatcher(first, firstPrints, second, secondPrints, byHand).match();
}

}  // namespace quantscope
