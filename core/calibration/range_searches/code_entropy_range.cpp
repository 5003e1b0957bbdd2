#include "calibration/range_searches/code_entropy_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibration/histograms/cumulative_masses.h"
#include "calibration/range_searches/quantizer_levels.h"
#include "calibration/range_searches/range_search.h"

namespace quantscope {
namespace {

// Neighbouring codes whose masses the quick bound takes together.
constexpr std::size_t kTakenTogether = 16;

// More than the sum of a few hundred terms below 64 bits is off by.
constexpr double kRounding = 1e-9;

class CodeEntropy {
 public:
  CodeEntropy(const std::vector<BinMass>& masses, double total, const QuantParams& target)
      : m_masses(masses), m_total(total), m_target(target) {
    const std::vector<double> levels = levelsOf(target, {});
    for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
      m_midpoints.push_back((levels[i] + levels[i + 1]) / 2);
    }
    m_zero = static_cast<std::size_t>(std::ranges::lower_bound(levels, 0.0) - levels.begin());
  }

  double of(const Range& range) const {
    return sum(gridFromRange(range, m_target), [](std::size_t code) { return code + 1; });
  }

  // The codes of a group have at most the entropy of even shares: then it is that of the groups
  // plus each one's mass times the logarithm of its size. Codes that hold much more than their
  // neighbours, both ends and that of 0, are groups of their own.
  double atMost(const Range& range) const {
    const Grid grid = gridFromRange(range, m_target);
    const std::size_t zero = m_zero + static_cast<std::size_t>(grid.zeroPoint);
    return kRounding + sum(grid, [&](std::size_t code) {
             if (code == 0 || code == zero) return code + 1;
             const std::size_t next = code + kTakenTogether;
             if (code < zero) return std::min(next, zero);
             return code < m_midpoints.size() ? std::min(next, m_midpoints.size()) : code + 1;
           });
  }

 private:
  // Over groups of codes: from each code to before nextOf(code).
  template <class NextOf>
  double sum(const Grid& grid, const NextOf& nextOf) const {
    const double shift = -static_cast<double>(grid.zeroPoint);
    double below = 0;
    double entropy = 0;
    for (std::size_t code = 0; code <= m_midpoints.size();) {
      const std::size_t next = nextOf(code);
      const bool isLast = next > m_midpoints.size();
      const double end =
          isLast ? m_total : m_masses.below((shift + m_midpoints[next - 1]) * grid.scale);
      const double share = (end - below) / m_total;
      if (share > 0) entropy -= share * std::log2(share / static_cast<double>(next - code));
      below = end;
      code = next;
    }
    return entropy;
  }

  CumulativeMasses m_masses;
  double m_total;
  const QuantParams& m_target;
  std::vector<double> m_midpoints;  // between neighbouring levels
  std::size_t m_zero;               // the code of 0 where the zero point is 0
};

}  // namespace

Range codeEntropyRange(const Observation& observation, const QuantParams& target) {
  if (!hasScale(target.type) || isSignCode(target.type)) return observation.range;
  const std::vector<BinMass> masses = binMasses(observation);
  const CodeEntropy entropy(masses, static_cast<double>(observation.count), target);
  const auto costOf = [&](const Range& range) {
    return RangeCost{-entropy.of(range), -std::numeric_limits<double>::infinity()};
  };
  const auto leastCostOf = [&](const Range& range) { return -entropy.atMost(range); };
  return searchRange(masses, observation.range, target.symmetric || !isInteger(target.type), costOf,
                     leastCostOf);
}

}  // namespace quantscope
