#include <map>

#include "onnx/inference/rules.h"

namespace quantscope::inference {

Rule findRule(std::string_view op) {
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
