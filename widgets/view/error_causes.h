#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/analysis_result.h"

namespace quantscope {

/// What is known so far of the causes of a result's errors.
struct ErrorCauses {
  std::shared_ptr<const AnalysisResult> of;
  /// By layer; nothing where the layer's own error cannot be measured.
  std::map<std::size_t, std::optional<ErrorBudget>> budgets;
  std::optional<std::vector<LadderStep>> ladder;  ///< absent until it was measured
};

using ErrorCausesPtr = std::shared_ptr<const ErrorCauses>;

}  // namespace quantscope
