#include "analysis/errors/error_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/statistics/error_sums.h"

namespace quantscope {

ErrorMetrics metricsOf(const ErrorSums& sums, std::optional<double> scale) {
  ErrorMetrics metrics;
  metrics.count = sums.count;
  metrics.nonFinite = sums.nonFinite;
  if (sums.count == 0) return metrics;
  const auto count = static_cast<double>(sums.count);
  metrics.mse = sums.squaredError / count;
  metrics.rmse = std::sqrt(*metrics.mse);
  metrics.maxAbs = sums.maxAbsoluteError;
  metrics.meanAbs = sums.absoluteError / count;
  metrics.meanSigned = sums.error / count;
  if (scale) metrics.rmseOverScale = *metrics.rmse / *scale;
  metrics.sqnrDb = sqnrDb(sums);
  if (sums.referenceSquared > 0) {
    metrics.nmse = sums.squaredError / sums.referenceSquared;
    if (sums.valueSquared > 0) {
      const double cosine =
          sums.product / (std::sqrt(sums.referenceSquared) * std::sqrt(sums.valueSquared));
      metrics.cosine = std::clamp(cosine, -1.0, 1.0);  // rounding may step over the edge
    }
  }
  return metrics;
}

std::optional<double> sqnrDb(const ErrorSums& sums) {
  return sqnrDb(sums.referenceSquared, sums.squaredError);
}

std::optional<double> sqnrDb(double referencePower, double errorPower) {
  if (referencePower <= 0) return std::nullopt;
  if (errorPower <= 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(referencePower / errorPower);
}

}  // namespace quantscope
