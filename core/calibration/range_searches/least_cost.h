#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

namespace quantscope {

/// One of several candidates and its cost.
struct LeastCost {
  std::size_t index = 0;
  double cost = 0;
};

/// The candidate that costs least and less than `limit`, the first of equal ones; none where there
/// is none. costOf(i) is never below lowerBounds[i] and is asked only where that leaves a chance,
/// so that costs may be long to compute where their bounds are not.
template <class CostOf>
std::optional<LeastCost> firstLeast(std::span<const double> lowerBounds, double limit,
                                    const CostOf& costOf) {
  if (lowerBounds.empty()) return std::nullopt;
  const auto likely =
      static_cast<std::size_t>(std::ranges::min_element(lowerBounds) - lowerBounds.begin());
  std::optional<LeastCost> least;
  const auto consider = [&](std::size_t i) {
    if (lowerBounds[i] > (least ? least->cost : limit)) return;
    const double cost = costOf(i);
    const bool isLess = cost < (least ? least->cost : limit);
    const bool isFirst = least && cost == least->cost && i < least->index;
    if (isLess || isFirst) least = {i, cost};
  };
  consider(likely);
  for (std::size_t i = 0; i < lowerBounds.size(); ++i) {
    if (i != likely) consider(i);
  }
  return least;
}

}  // namespace quantscope
