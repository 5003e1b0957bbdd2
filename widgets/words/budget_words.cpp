#include "widgets/words/budget_words.h"

#include <QCoreApplication>
#include <algorithm>

#include "base/number_text.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

// A second cause with less is not worth a sentence.
constexpr double kWorthTelling = 0.2;

QString budgetText(const char* source) {
  return QCoreApplication::translate("BudgetWords", source);
}

}  // namespace

std::vector<BudgetPart> budgetParts(const ErrorBudget& budget) {
  std::vector<BudgetPart> parts{
      {budgetText("input grid"), budgetText("rounding of its input"),
       budgetText("The error with only the inputs rounded, nothing clipped."), budget.input},
      {budgetText("weights"), budgetText("its weights"),
       budgetText("The error with only the weights quantized."), budget.weight},
      {budgetText("bias"), budgetText("its bias"),
       budgetText("The error with only the bias as an integer."), budget.bias},
      {budgetText("output grid"), budgetText("rounding of its output"),
       budgetText("The error with only the output rounded, nothing clipped."), budget.output},
      {budgetText("clipping"), budgetText("clipping"),
       budgetText("The error with inputs and output only cut off where their grids end."),
       budget.clipping}};
  if (budget.together > 0) {
    parts.push_back({budgetText("together"), budgetText("what they do to each other"),
                     budgetText("What is left of the layer's own error once the parts, each "
                                "measured alone, are taken away."),
                     budget.together});
  }
  double whole = 0;
  for (const BudgetPart& part : parts) whole += part.share;
  for (BudgetPart& part : parts) part.share = whole > 0 ? part.share / whole : 0;
  return parts;
}

QString budgetSentence(const ErrorBudget& budget) {
  std::vector<BudgetPart> parts = budgetParts(budget);
  std::ranges::stable_sort(parts, std::greater{}, &BudgetPart::share);
  if (!(parts[0].share > 0)) return {};
  const QString first = budgetText("%1 of its own error comes from %2")
                            .arg(text(percent(parts[0].share)), parts[0].cause);
  if (parts[1].share < kWorthTelling) return first + u'.';
  return first + budgetText(", %1 from %2.").arg(text(percent(parts[1].share)), parts[1].cause);
}

}  // namespace quantscope
