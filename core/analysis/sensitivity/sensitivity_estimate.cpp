#include "analysis/sensitivity/sensitivity_estimate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "analysis/sensitivity/rank_correlation.h"
#include "base/median.h"

namespace quantscope {

std::optional<double> firstSqnrDb(const SensitivityRow& row) {
  const auto first = std::ranges::find_if(
      row.outputs, [](const OutputResult& output) { return output.error.count > 0; });
  return first == row.outputs.end() ? std::nullopt : first->error.sqnrDb;
}

EstimateQuality compareEstimates(std::span<const SensitivityRow> estimated,
                                 std::span<const SensitivityRow> measured) {
  std::map<std::pair<std::string, QuantType>, double> known;
  for (const SensitivityRow& row : measured) {
    if (const auto sqnrDb = firstSqnrDb(row)) known[{row.node, row.type}] = *sqnrDb;
  }
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> errors;
  for (const SensitivityRow& row : estimated) {
    const auto sqnrDb = firstSqnrDb(row);
    const auto found = known.find({row.node, row.type});
    if (!sqnrDb || found == known.end()) continue;
    a.push_back(*sqnrDb);
    b.push_back(found->second);
    const double error = std::abs(*sqnrDb - found->second);
    if (std::isfinite(error)) errors.push_back(error);
  }
  EstimateQuality quality;
  quality.rows = a.size();
  quality.spearman = rankCorrelation(a, b);
  if (!errors.empty()) quality.medianErrorDb = median(errors);
  return quality;
}

}  // namespace quantscope
