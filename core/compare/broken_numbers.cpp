#include "compare/broken_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number_text.h"

namespace quantscope {
namespace {

bool isBroken(float reference, float value) {
  if (std::isnan(reference) || std::isnan(value)) return std::isnan(reference) != std::isnan(value);
  return (std::isinf(reference) || std::isinf(value)) && reference != value;
}

}  // namespace

std::size_t brokenPairs(std::span<const float> reference, std::span<const float> value) {
  std::size_t broken = 0;
  for (std::size_t i = 0; i < std::min(reference.size(), value.size()); ++i) {
    broken += isBroken(reference[i], value[i]) ? 1 : 0;
  }
  return broken;
}

ErrorMetrics metricsOfPairs(const ErrorSums& sums, std::size_t broken) {
  ErrorMetrics metrics = metricsOf(sums);
  if (broken > 0) metrics.sqnrDb = -std::numeric_limits<double>::infinity();
  return metrics;
}

std::string brokenText(std::size_t broken, std::size_t all) {
  return std::to_string(broken) + " of its " + counted(all, "number") +
         (broken == 1 ? " is" : " are") + " NaN or infinite, or should be";
}

}  // namespace quantscope
