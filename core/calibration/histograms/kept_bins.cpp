// With n numbers in all, k of them in the kept bins, A of level l in P, m of these in the kept bins
// and f of its bins not empty, the divergence is
//
//   Σ P·log(P / Q) = (Σ c·log c − Σ A·log(m / f)) / n + log(k / n)
//
// over the counts c of P and over the levels. With prefix sums over the bins, that takes one
// logarithm per level instead of one per bin. Its rounding errors differ from the definition's, so
// it only selects the candidates that may have the least divergence; the definition decides between
// these.
#include "calibration/histograms/kept_bins.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "calibration/range_searches/least_cost.h"

namespace quantscope {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The count of an empty level that outliers are merged into: with 0, Q would be 0 there and no
// single outlier could ever be clipped. MXNet's and ONNX Runtime's value.
constexpr double kLeastCount = 1e-4;

// How far the quick divergence may be from the definition's. A sum over 2^11 bins is off by no more
// than 2^11 · 2^−53 of all numbers; two of them and a logarithm below 2^6 make up each of at most
// 2^11 levels, together 2^−23 / 2. Whole counts, the usual ones, add up without rounding.
constexpr double kRounding = 0x1p-23;

double timesLog(double count) {
  return count > 0 ? count * std::log(count) : 0;
}

double logOfLevel(double merged, double filled) {
  return std::log(std::max(merged, kLeastCount) / filled);
}

// The divergence of one level.
double levelDivergence(std::span<const double> reference, std::span<const double> kept,
                       double referenceTotal, double keptTotal) {
  std::size_t filled = 0;
  for (const double count : reference) filled += count > 0 ? 1 : 0;
  if (filled == 0) return 0;
  const double merged = std::max(std::accumulate(kept.begin(), kept.end(), 0.0), kLeastCount);
  const double q = merged / static_cast<double>(filled) / keptTotal;
  double sum = 0;
  for (const double count : reference) {
    if (count <= 0) continue;
    const double p = count / referenceTotal;
    sum += p * std::log(p / q);
  }
  return sum;
}

class Candidates {
 public:
  Candidates(std::span<const double> counts, double beyond, std::size_t levels)
      : m_counts(counts),
        m_levels(levels),
        m_before(counts.size() + 1),
        m_logsBefore(counts.size() + 1),
        m_filledBefore(counts.size() + 1),
        m_outliers(counts.size() + 1, beyond) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      m_before[i + 1] = m_before[i] + counts[i];
      m_logsBefore[i + 1] = m_logsBefore[i] + timesLog(counts[i]);
      m_filledBefore[i + 1] = m_filledBefore[i] + (counts[i] > 0 ? 1 : 0);
    }
    for (std::size_t i = counts.size(); i > 0; --i) {
      m_outliers[i - 1] = m_outliers[i] + counts[i - 1];
    }
  }

  // A lower bound of the cost of the outliers on the last bin: the divergence of P and Q
  // with all other bins merged into one. The sum of Q is at most 1 plus the least
  // counts.
  double clippingCost(std::size_t kept) const {
    if (!keepsHalf(kept)) return kInfinity;
    const LastLevel last = lastLevel(kept);
    if (last.binCount <= 0) return 0;
    const double empty = static_cast<double>(m_levels) * kLeastCount / m_before[kept];
    const double p = last.binCount / (m_before[kept] + m_outliers[kept]);
    const double q = std::max(last.merged, kLeastCount) / last.filled / m_before[kept];
    const double ofOthers = p < 1 ? (1 - p) * std::log((1 - p) / (1 + empty - q)) : 0;
    return p * std::log(p / q) + ofOthers;
  }

  double quickDivergence(std::size_t kept) const {
    const double keptTotal = m_before[kept];
    if (!keepsHalf(kept)) return kInfinity;
    const LastLevel last = lastLevel(kept);
    double sum = m_logsBefore[kept - 1] + timesLog(last.binCount);
    std::size_t first = 0;
    std::size_t remainder = 0;
    for (std::size_t level = 1; level < m_levels; ++level) {
      // ⌊level · kept / levels⌋ without a division.
      std::size_t end = first + kept / m_levels;
      remainder += kept % m_levels;
      if (remainder >= m_levels) {
        remainder -= m_levels;
        ++end;
      }
      const double filled = m_filledBefore[end] - m_filledBefore[first];
      const double count = m_before[end] - m_before[first];
      if (filled > 0) sum -= count * logOfLevel(count, filled);
      first = end;
    }
    const double outliers = m_outliers[kept];
    if (last.filled > 0) sum -= (last.merged + outliers) * logOfLevel(last.merged, last.filled);
    return (sum / (keptTotal + outliers)) + std::log(keptTotal / (keptTotal + outliers));
  }

  double divergence(std::size_t kept) const {
    const double keptTotal = m_before[kept];
    if (!keepsHalf(kept)) return kInfinity;
    const std::span<const double> counts = m_counts.first(kept);
    std::vector<double> reference(counts.begin(), counts.end());
    reference.back() += m_outliers[kept];
    double sum = 0;
    for (std::size_t level = 0; level < m_levels; ++level) {
      const std::size_t first = level * kept / m_levels;
      const std::size_t last = (level + 1) * kept / m_levels;
      sum += levelDivergence(std::span(reference).subspan(first, last - first),
                             counts.subspan(first, last - first), keptTotal + m_outliers[kept],
                             keptTotal);
    }
    return sum;
  }

 private:
  struct LastLevel {
    double merged = 0;    // sum of its kept numbers
    double filled = 0;    // bins that are not empty in P
    double binCount = 0;  // of its last bin, outliers included
  };

  // If one bin holds all kept values, P = Q for any clipping, so a candidate must keep at least
  // half of them.
  bool keepsHalf(std::size_t kept) const {
    return m_before[kept] > 0 && m_before[kept] >= m_outliers[kept];
  }

  // Summed directly: with few counts and many outliers, prefix sums would bring in their rounding.
  LastLevel lastLevel(std::size_t kept) const {
    const std::size_t first = (m_levels - 1) * kept / m_levels;
    const auto counts = m_counts.subspan(first, kept - first);
    const double binCount = counts.back() + m_outliers[kept];
    return {std::accumulate(counts.begin(), counts.end(), 0.0),
            m_filledBefore[kept - 1] - m_filledBefore[first] + (binCount > 0 ? 1 : 0), binCount};
  }

  std::span<const double> m_counts;
  std::size_t m_levels;
  std::vector<double> m_before;        // numbers in all bins before each
  std::vector<double> m_logsBefore;    // Σ c·log c
  std::vector<double> m_filledBefore;  // bins that are not empty
  std::vector<double> m_outliers;      // by bins kept: numbers behind them
};

}  // namespace

std::size_t bestKeptBins(std::span<const double> counts, double beyond, std::size_t levels) {
  if (counts.size() < levels) return counts.size();
  const Candidates candidates(counts, beyond, levels);
  const auto keptBy = [&](std::size_t candidate) { return counts.size() - candidate; };
  std::vector<double> lowerBounds(counts.size() - levels + 1);
  double least = kInfinity;
  for (std::size_t i = 0; i < lowerBounds.size(); ++i) {
    double bound = candidates.clippingCost(keptBy(i));
    if (bound <= least + kRounding) bound = candidates.quickDivergence(keptBy(i));
    least = std::min(least, bound);
    lowerBounds[i] = bound - kRounding;
  }
  const auto best = firstLeast(lowerBounds, kInfinity,
                               [&](std::size_t i) { return candidates.divergence(keptBy(i)); });
  return best ? keptBy(best->index) : counts.size();
}

}  // namespace quantscope
