#pragma once

#include <span>

#include "onnx/inference/context.h"

namespace quantscope::inference {

// One table per family of operators of ai.onnx.
std::span<const RuleEntry> elementwiseRules();
std::span<const RuleEntry> reductionRules();
std::span<const RuleEntry> reshapingRules();
std::span<const RuleEntry> dataMoverRules();
std::span<const RuleEntry> indexingRules();
std::span<const RuleEntry> generatorRules();
std::span<const RuleEntry> windowRules();
std::span<const RuleEntry> matrixProductRules();
std::span<const RuleEntry> normalizationRules();
std::span<const RuleEntry> recurrenceRules();
std::span<const RuleEntry> resamplingRules();
std::span<const RuleEntry> quantizedRules();
std::span<const RuleEntry> spectralRules();

/// The rules of com.microsoft.
std::span<const RuleEntry> microsoftRules();

/// The rule of an operator of ai.onnx ("") or com.microsoft; nullptr where there is none.
Rule findRule(std::string_view op, std::string_view domain = "");

/// Output 0 has the type and shape of input 0.
void sameAsInput(Context& context);

}  // namespace quantscope::inference
