#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/analysis_result.h"

namespace quantscope {

/// The causes of a result's errors that are known so far.
struct ErrorCauses {
  std::shared_ptr<const AnalysisResult> of;
  /// By layer; nullopt if the layer's own error cannot be measured.
  std::map<std::size_t, std::optional<ErrorBudget>> budgets;
  std::optional<std::vector<LadderStep>> ladder;  ///< absent until it was measured
};

using ErrorCausesPtr = std::shared_ptr<const ErrorCauses>;

}  // namespace quantscope
