#include "calibration/code_entropy_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibration/quantizer_levels.h"
#include "calibration/range_search.h"

namespace quantscope {
namespace {

// What of the bins lies below rising bounds.
class MassBelow {
 public:
  explicit MassBelow(const std::vector<BinMass>& masses) : m_masses(masses) {}

  double operator()(double bound) {
    while (m_next < m_masses.size() && m_masses[m_next].high < bound) {
      m_below += m_masses[m_next++].count;
    }
    if (m_next == m_masses.size()) return m_below;
    const BinMass& bin = m_masses[m_next];
    if (bound <= bin.low) return m_below;
    return m_below + bin.count * (bound - bin.low) / (bin.high - bin.low);
  }

 private:
  const std::vector<BinMass>& m_masses;
  std::size_t m_next = 0;
  double m_below = 0;
};

double codeEntropy(const std::vector<BinMass>& masses, double total,
                   const std::vector<double>& levels, double firstLevel, double scale) {
  MassBelow massBelow(masses);
  double below = 0;
  double entropy = 0;
  const auto add = [&](double mass) {
    if (mass > 0) entropy -= mass / total * std::log2(mass / total);
  };
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    const double bound = (firstLevel + (levels[i] + levels[i + 1]) / 2) * scale;
    const double next = massBelow(bound);
    add(next - below);
    below = next;
  }
  add(total - below);
  return entropy;
}

}  // namespace

Range codeEntropyRange(const Observation& observation, const QuantParams& target) {
  if (!hasScale(target.type) || isSignCode(target.type)) return observation.range;
  const std::vector<BinMass> masses = binMasses(observation);
  const std::vector<double> levels = levelsOf(target, {});
  const auto costOf = [&](const Range& range) {
    const Grid grid = gridFromRange(range, target);
    const double shift = -static_cast<double>(grid.zeroPoint);
    const double entropy =
        codeEntropy(masses, static_cast<double>(observation.count), levels, shift, grid.scale);
    return RangeCost{-entropy, -std::numeric_limits<double>::infinity()};
  };
  return searchRange(masses, observation.range, target.symmetric || !isInteger(target.type),
                     costOf);
}

}  // namespace quantscope
