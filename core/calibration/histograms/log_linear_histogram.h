#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "calibration/histograms/bin_counts.h"

namespace quantscope {

/// One bin of a log-linear histogram: `count` numbers from `low` to `high`, low ≤ high.
struct LogLinearBin {
  float low = 0;
  float high = 0;
  std::uint64_t count = 0;
};

/// A histogram that resolves every magnitude alike, to 1/32 of its power of two: linear bins are
/// blind beside one large outlier, exactly where clipping matters. Exact counts, independent of
/// the order in which data came. Denormals count as 0.
class LogLinearHistogram {
 public:
  LogLinearHistogram() = default;
  /// A kept histogram, from its counts().
  explicit LogLinearHistogram(BinCounts counts) : m_counts(std::move(counts)) {}

  /// Counts the finite numbers.
  void add(std::span<const float> in);
  void add(const LogLinearHistogram& other);

  /// The histogram of max(x, 0) for every x of this one, where `count` of those are finite: an
  /// infinity below 0, which is not counted here, becomes 0.
  LogLinearHistogram rectified(std::size_t count) const;

  /// The bins that hold something, in ascending order; the one of 0 is [0, 0].
  std::vector<LogLinearBin> bins() const;

  /// Counts by bin number; see kernels/statistics/log_linear_bins.h.
  const BinCounts& counts() const { return m_counts; }
  std::size_t bytes() const { return m_counts.bytes(); }

 private:
  BinCounts m_counts;  // by kernels/statistics/log_linear_bins.h
};

}  // namespace quantscope
