#include "calibration/histograms/log_linear_histogram.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/statistics/log_linear_bins.h"

namespace quantscope {
namespace {

// Fewer numbers are counted one by one: a table of all bins would cost more to clear.
constexpr std::size_t kFew = 256;

// Bounds the kernel's 32-bit counters.
constexpr std::size_t kCountedAtOnce = std::size_t{1} << 30;

}  // namespace

void LogLinearHistogram::add(std::span<const float> in) {
  if (in.size() < kFew) {
    for (const float x : in) {
      if (std::isfinite(x)) m_counts.add(static_cast<std::int32_t>(logLinearBin(x)), 1);
    }
    return;
  }
  for (std::size_t i = 0; i < in.size(); i += kCountedAtOnce) {
    std::vector<std::uint32_t> counts(kLogLinearBins);
    addToLogLinearBins(in.subspan(i, std::min(kCountedAtOnce, in.size() - i)),
                       std::span<std::uint32_t, kLogLinearBins>(counts));
    m_counts.add(0, counts);
  }
}

void LogLinearHistogram::add(const LogLinearHistogram& other) {
  m_counts.add(other.m_counts);
}

LogLinearHistogram LogLinearHistogram::rectified(std::size_t count) const {
  LogLinearHistogram result;
  std::uint64_t positive = 0;
  m_counts.forEach([&](std::int32_t bin, std::uint64_t n) {
    if (bin == 0 || logLinearBounds(static_cast<std::size_t>(bin)).low < 0) return;
    result.m_counts.add(bin, n);
    positive += n;
  });
  if (count > positive) result.m_counts.add(0, count - positive);
  return result;
}

// Negative bins come after all others and are numbered away from 0.
std::vector<LogLinearBin> LogLinearHistogram::bins() const {
  std::vector<LogLinearBin> bins;
  m_counts.forEach([&](std::int32_t bin, std::uint64_t count) {
    const auto [a, b] = logLinearBounds(static_cast<std::size_t>(bin));
    bins.push_back({std::min(a, b), std::max(a, b), count});
  });
  const auto negative =
      std::find_if(bins.begin(), bins.end(), [](const LogLinearBin& bin) { return bin.low < 0; });
  std::reverse(negative, bins.end());
  std::rotate(bins.begin(), negative, bins.end());
  return bins;
}

}  // namespace quantscope
