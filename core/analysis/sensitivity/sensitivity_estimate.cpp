#include "analysis/sensitivity/sensitivity_estimate.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "analysis/errors/worst_output.h"
#include "analysis/sensitivity/rank_correlation.h"
#include "base/median.h"

namespace quantscope {

namespace {

// Of those outputs that an estimated row has a figure of.
std::optional<double> worstAmong(const SensitivityRow& estimated, const SensitivityRow& measured) {
  std::vector<OutputResult> outputs;
  for (const OutputResult& output : estimated.outputs) {
    const auto found = std::ranges::find(measured.outputs, output.value, &OutputResult::value);
    if (output.error.sqnrDb && found != measured.outputs.end()) outputs.push_back(*found);
  }
  return worstOutputSqnr(outputs);
}

}  // namespace

std::size_t probesBehind(std::span<const SensitivityRow> estimated,
                         const GradientEstimateSettings& settings, std::size_t samples) {
  std::size_t outputs = 0;
  for (const SensitivityRow& row : estimated) outputs = std::max(outputs, row.outputs.size());
  return settings.probes > 0 ? settings.probes : probesFor(samples, outputs);
}

EstimateQuality compareEstimates(std::span<const SensitivityRow> estimated,
                                 std::span<const SensitivityRow> measured) {
  std::map<std::pair<std::string, QuantType>, const SensitivityRow*> known;
  for (const SensitivityRow& row : measured) known[{row.node, row.type}] = &row;
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> errors;
  for (const SensitivityRow& row : estimated) {
    const auto found = known.find({row.node, row.type});
    if (found == known.end()) continue;
    const std::optional<double> sqnrDb = worstOutputSqnr(row.outputs);
    const std::optional<double> actual = worstAmong(row, *found->second);
    if (!sqnrDb || !actual) continue;
    a.push_back(*sqnrDb);
    b.push_back(*actual);
    const double error = std::abs(*sqnrDb - *actual);
    if (std::isfinite(error)) errors.push_back(error);
  }
  EstimateQuality quality;
  quality.rows = a.size();
  quality.spearman = rankCorrelation(a, b);
  if (!errors.empty()) quality.medianErrorDb = median(errors);
  return quality;
}

}  // namespace quantscope
