#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "analysis/errors/error_metrics.h"
#include "kernels/statistics/error_sums.h"

namespace quantscope {

/// The number of pairs of which one is NaN or infinite and the other is something else.
std::size_t brokenPairs(std::span<const float> reference, std::span<const float> value);

/// The metrics of sums with so many such pairs: as at a network's outputs, any makes the error
/// infinite, and the SQNR −∞.
ErrorMetrics metricsOfPairs(const ErrorSums& sums, std::size_t broken);

/// "3 of its 400 numbers are NaN or infinite, or should be".
std::string brokenText(std::size_t broken, std::size_t all);

}  // namespace quantscope
