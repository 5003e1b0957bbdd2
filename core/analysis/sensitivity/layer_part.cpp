#include "analysis/sensitivity/layer_part.h"

namespace quantscope {

double errorOf(const ErrorBudget& budget, LayerPart part) {
  switch (part) {
    case LayerPart::Input:
      return budget.input;
    case LayerPart::Weight:
      return budget.weight;
    case LayerPart::Bias:
      return budget.bias;
    case LayerPart::Output:
      return budget.output;
    case LayerPart::Clipping:
      return budget.clipping;
  }
  return 0;
}

std::optional<DominatingPart> dominatingPart(const ErrorBudget& budget) {
  double sum = 0;
  DominatingPart largest;
  for (const LayerPart part : kLayerParts) {
    const double error = errorOf(budget, part);
    sum += error;
    if (error > errorOf(budget, largest.part)) largest.part = part;
  }
  if (!(sum > 0)) return std::nullopt;
  largest.share = errorOf(budget, largest.part) / sum;
  return largest;
}

}  // namespace quantscope
