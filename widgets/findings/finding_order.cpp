#include "widgets/findings/finding_order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace quantscope {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double figureOf(const Finding& finding, const LayerIndex& layers, FindingOrder by) {
  switch (by) {
    case FindingOrder::Report:
      return 0;
    case FindingOrder::Severity:
      return static_cast<double>(finding.severity);
    case FindingOrder::Layer: {
      const std::optional<std::size_t> layer = layers.find(finding.node);
      return layer ? static_cast<double>(*layer) : kNone;
    }
    case FindingOrder::Statistic:
      return finding.statistic;
    case FindingOrder::Threshold:
      return finding.threshold;
    case FindingOrder::Gain:
      return finding.suggestion ? finding.suggestion->gainDb.value_or(kNone) : kNone;
  }
  return kNone;
}

}  // namespace

std::vector<std::size_t> orderFindings(const std::vector<Finding>& findings,
                                       const LayerIndex& layers, FindingOrder by,
                                       Qt::SortOrder direction) {
  std::vector<double> figures;
  figures.reserve(findings.size());
  for (const Finding& finding : findings) figures.push_back(figureOf(finding, layers, by));
  std::vector<std::size_t> order(findings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    if (std::isnan(figures[a]) || std::isnan(figures[b]))
      return !std::isnan(figures[a]) && std::isnan(figures[b]);
    return direction == Qt::AscendingOrder ? figures[a] < figures[b] : figures[a] > figures[b];
  });
  return order;
}

}  // namespace quantscope
