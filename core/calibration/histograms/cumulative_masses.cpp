#include "calibration/histograms/cumulative_masses.h"

#include <algorithm>
#include <bit>

namespace quantscope {
namespace {

// The bits of a double below its sign, its exponent and 1/32 of its power of two; a cell is as wide
// as a bin of the log-linear histogram.
constexpr int kLowerBits = 47;

// Offset of the cell of the smallest normal float; the histogram counts smaller magnitudes as 0.
constexpr int kSmallestCell = 897 * 32 - 1;

// Monotonic: never falls while x rises.
int cellOf(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int magnitude = static_cast<int>((bits & ~(std::uint64_t{1} << 63)) >> kLowerBits);
  const int cell = std::max(magnitude - kSmallestCell, 0);
  return x < 0 ? -cell : cell;
}

}  // namespace

CumulativeMasses::CumulativeMasses(const std::vector<BinMass>& masses)
    : m_masses(masses), m_before{0} {
  for (const BinMass& mass : masses) m_before.push_back(m_before.back() + mass.count);
  if (masses.empty()) return;
  m_firstCell = cellOf(masses.front().high);
  for (std::uint32_t i = 0; i < masses.size(); ++i) {
    const auto end = static_cast<std::size_t>(cellOf(masses[i].high) - m_firstCell) + 1;
    if (end > m_start.size()) m_start.resize(end, i);
  }
}

double CumulativeMasses::below(double bound) const {
  if (m_masses.empty() || bound > m_masses.back().high) return m_before.back();
  const int cell = std::max(cellOf(bound) - m_firstCell, 0);
  std::size_t i = m_start[static_cast<std::size_t>(cell)];
  while (m_masses[i].high < bound) ++i;
  const BinMass& mass = m_masses[i];
  if (bound <= mass.low) return m_before[i];
  return m_before[i] + mass.count * (bound - mass.low) / (mass.high - mass.low);
}

}  // namespace quantscope
