#include <algorithm>
#include <map>

#include "onnx/inference/rules.h"

namespace quantscope::inference {

Rule findRule(std::string_view op, std::string_view domain) {
  if (domain == "com.microsoft") {
    const auto entry = std::ranges::find(microsoftRules(), op, &RuleEntry::op);
    return entry == microsoftRules().end() ? nullptr : entry->rule;
  }
  if (!domain.empty()) return nullptr;
  static const std::map<std::string_view, Rule> kRules = [] {
    std::map<std::string_view, Rule> all;
    for (const auto& family :
         {elementwiseRules(), reductionRules(), reshapingRules(), dataMoverRules(), indexingRules(),
          generatorRules(), windowRules(), matrixProductRules(), normalizationRules(),
          recurrenceRules(), resamplingRules(), quantizedRules(), spectralRules()}) {
      for (const RuleEntry& entry : family) all.emplace(entry.op, entry.rule);
    }
    return all;
  }();
  const auto found = kRules.find(op);
  return found == kRules.end() ? nullptr : found->second;
}

}  // namespace quantscope::inference
