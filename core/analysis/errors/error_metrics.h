#pragma once

#include <cstddef>
#include <optional>

namespace quantscope {

struct ErrorSums;

/// The error of x̂ (quantized) against x (float). Metrics that are undefined for the data are
/// absent, such as the SQNR with Σx² = 0.
struct ErrorMetrics {
  std::size_t count = 0;             ///< compared elements
  std::size_t nonFinite = 0;         ///< pairs with a NaN or ±Inf, left out
  std::optional<double> sqnrDb;      ///< 10·log10(Σx² / Σ(x−x̂)²); +∞ where equal
  std::optional<double> nmse;        ///< Σ(x−x̂)² / Σx²
  std::optional<double> cosine;      ///< Σx·x̂ / √(Σx²·Σx̂²)
  std::optional<double> mse;         ///< Σ(x−x̂)² / n
  std::optional<double> rmse;        ///< √mse
  std::optional<double> maxAbs;      ///< max |x̂−x|
  std::optional<double> meanAbs;     ///< Σ|x̂−x| / n
  std::optional<double> meanSigned;  ///< Σ(x̂−x) / n
  /// rmse / scale of the output's grid: 1/√12 ≈ 0.289 is ideal rounding, above 0.7 is suspect.
  std::optional<double> rmseOverScale;
};

/// `scale` of the output's per-tensor grid where it has one.
ErrorMetrics metricsOf(const ErrorSums& sums, std::optional<double> scale = std::nullopt);

/// ErrorMetrics::sqnrDb alone.
std::optional<double> sqnrDb(const ErrorSums& sums);
/// The same of Σx² and Σ(x−x̂)².
std::optional<double> sqnrDb(double referencePower, double errorPower);

}  // namespace quantscope
