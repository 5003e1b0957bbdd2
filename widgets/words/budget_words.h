#pragma once

#include <QString>
#include <vector>

#include "analysis/analysis_result.h"

namespace quantscope {

/// One part of what makes a layer's own error.
struct BudgetPart {
  QString title;       ///< "weights"
  QString cause;       ///< in a sentence: "its weights"
  QString definition;  ///< the measured part
  double share = 0;    ///< of the layer's own error, 0 … 1
};

/// Input grid, weights, bias, output grid, clipping and, if positive, their interaction; in this
/// order, also those that are 0. Shares of the own error, or of the sum of the parts where that is
/// larger because they cancel each other.
std::vector<BudgetPart> budgetParts(const ErrorBudget& budget);

/// "63 % of its own error comes from its weights, 25 % from rounding of its input."; empty where
/// there is no error.
QString budgetSentence(const ErrorBudget& budget);

}  // namespace quantscope
