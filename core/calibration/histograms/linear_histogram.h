#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "calibration/histograms/bin_counts.h"

namespace quantscope {

/// Equal bins: counts[i] numbers x with low + i·width ≤ x < low + (i+1)·width; the last bin holds
/// its upper edge too.
struct LinearBins {
  double low = 0;
  double width = 0;
  std::vector<std::uint64_t> counts;
};

/// A histogram whose bins are a power of two wide and aligned at 0.
///
/// The width follows from the smallest and largest number alone: the smallest power of two that
/// spans them with at most 2,048 bins and is not under absmax · 2^−22 (nor the smallest normal
/// float). When the range grows, pairs of bins merge; so the counts are exact, and independent of
/// the order in which data came. Denormals count as 0.
class LinearHistogram {
 public:
  static constexpr int kMaxBins = 2048;

  LinearHistogram() = default;
  /// A kept histogram, from its widthExponent() and counts().
  LinearHistogram(int widthExponent, BinCounts counts)
      : m_widthExponent(widthExponent), m_counts(std::move(counts)) {}

  /// The binary logarithm of the width for numbers from `min` to `max`, both finite.
  static int widthExponentFor(float min, float max);

  /// Merges pairs of bins until they are at least 2^widthExponent wide.
  void widen(int widthExponent);
  int widthExponent() const { return m_widthExponent; }

  /// Counts finite numbers between `min` and `max` at the present width.
  void add(std::span<const float> in, float min, float max);
  /// Adds counts that were taken at another width, at most the present one.
  void add(LinearHistogram finer);

  /// The bins from `min` to `max`, the smallest and largest of all numbers that were added.
  LinearBins bins(float min, float max) const;

  /// Counts by bin number; bin k begins at k · width.
  const BinCounts& counts() const { return m_counts; }
  std::size_t bytes() const { return m_counts.bytes(); }

 private:
  int m_widthExponent = kFinest;
  BinCounts m_counts;

  // The exponent of the smallest normal float.
  static constexpr int kFinest = -126;
};

}  // namespace quantscope
