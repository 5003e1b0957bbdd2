// The search is that of PyTorch's HistogramObserver, which has it from Caffe2's "norm
// minimization". Numbers are taken to be spread evenly inside a bin, levels to stand for the
// centres of equal steps; so the squared error of a bin is a sum of integrals of d² over the steps
// that it crosses.
#include "calibration/range_searches/l2_range_search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

namespace quantscope {
namespace {

constexpr double kQuantileStep = 1e-5;

// The bins that are kept, both ends included.
struct Kept {
  std::ptrdiff_t first;
  std::ptrdiff_t last;
  friend bool operator==(const Kept&, const Kept&) = default;
};

double integralOfSquare(double begin, double end) {
  return (end * end * end - begin * begin * begin) / 3;
}

// In units of the bin width, which scales the errors of all candidates alike.
double squaredError(std::span<const double> counts, const Kept& kept, int levels) {
  const auto step = static_cast<double>(kept.last - kept.first + 1) / levels;
  const double last = levels - 1;
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const double begin = static_cast<double>(static_cast<std::ptrdiff_t>(i) - kept.first);
    const double beginLevel = std::clamp(std::floor(begin / step), 0.0, last);
    const double endLevel = std::clamp(std::floor((begin + 1) / step), 0.0, last);
    const double beginPart = integralOfSquare(begin - (beginLevel + 0.5) * step, step / 2);
    const double whole = integralOfSquare(-step / 2, step / 2);
    const double endPart = integralOfSquare(-step / 2, begin + 1 - (endLevel + 0.5) * step);
    sum += counts[i] * (beginPart + (endLevel - beginLevel - 1) * whole + endPart);
  }
  return sum;
}

class Search {
 public:
  Search(std::span<const double> counts, int levels)
      : m_counts(counts), m_levels(levels), m_kept{0, std::ssize(counts) - 1} {
    double sum = 0;
    for (const double count : counts) m_cumulative.push_back(static_cast<float>(sum += count));
  }

  Kept run() {
    double leastError = std::numeric_limits<double>::infinity();
    while (m_lowQuantile < m_highQuantile) {
      const Kept next = nextKept();
      if (next == m_kept) continue;
      const double error = squaredError(m_counts, next, m_levels);
      if (error > leastError) break;
      leastError = error;
      m_kept = next;
    }
    return m_kept;
  }

 private:
  Kept nextKept() {
    const double total = m_cumulative.back();
    const double nextLow = m_lowQuantile + kQuantileStep;
    const double nextHigh = m_highQuantile - kQuantileStep;
    const auto low = static_cast<float>(nextLow * total);
    const auto high = static_cast<float>(nextHigh * total);
    Kept inside = m_kept;
    while (inside.first < m_kept.last && cumulative(inside.first) < low) {
      ++inside.first;
    }
    while (inside.last > m_kept.first && cumulative(inside.last) > high) {
      --inside.last;
    }
    if (inside.first - m_kept.first > m_kept.last - inside.last) {
      m_lowQuantile = nextLow;
      return {inside.first, m_kept.last};
    }
    m_highQuantile = nextHigh;
    return {m_kept.first, inside.last};
  }

  float cumulative(std::ptrdiff_t bin) const { return m_cumulative[static_cast<std::size_t>(bin)]; }

  std::span<const double> m_counts;
  int m_levels;
  // PyTorch compares in float, which decides where a quantile falls on a whole number of elements.
  std::vector<float> m_cumulative;
  Kept m_kept;
  double m_lowQuantile = 0;
  double m_highQuantile = 1;
};

}  // namespace

std::vector<double> resampled(const LinearBins& bins, const Range& range, int count) {
  std::vector<double> result(static_cast<std::size_t>(count));
  const double low = range.low;
  const double width = (static_cast<double>(range.high) - low) / count;
  const auto position = [&](double x) { return std::clamp((x - low) / width, 0.0, double(count)); };
  for (std::size_t i = 0; i < bins.counts.size(); ++i) {
    const double edge = bins.low + static_cast<double>(i) * bins.width;
    const double begin = position(edge);
    const double end = position(edge + bins.width);
    const double density = static_cast<double>(bins.counts[i]) / (end - begin);
    for (double at = begin; at < end;) {
      const double next = std::min(std::floor(at) + 1, end);
      result[static_cast<std::size_t>(at)] += density * (next - at);
      at = next;
    }
  }
  return result;
}

Range searchRangeL2(std::span<const double> counts, const Range& range, int levels) {
  const Kept kept = Search(counts, levels).run();
  const double width =
      (static_cast<double>(range.high) - range.low) / static_cast<double>(counts.size());
  const auto edge = [&](std::ptrdiff_t bin) {
    return static_cast<float>(range.low + width * static_cast<double>(bin));
  };
  return {edge(kept.first), edge(kept.last + 1), false};
}

}  // namespace quantscope
