#pragma once

#include <optional>
#include <span>

namespace quantscope {

/// Spearman's rank correlation of two lists of equal length, −1 … 1; equal values share the mean of
/// their ranks. Infinite values are the largest and smallest. Nothing for fewer than two pairs or
/// where one list is constant. No value may be NaN.
std::optional<double> rankCorrelation(std::span<const double> a, std::span<const double> b);

}  // namespace quantscope
