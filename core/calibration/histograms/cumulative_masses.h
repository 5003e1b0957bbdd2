#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "calibration/histograms/bin_masses.h"

namespace quantscope {

/// The sum of the masses below a bound, in little time for every bound. The masses are ascending,
/// do not overlap and outlive it.
class CumulativeMasses {
 public:
  explicit CumulativeMasses(const std::vector<BinMass>& masses);

  double below(double bound) const;

 private:
  const std::vector<BinMass>& m_masses;
  std::vector<double> m_before;  // mass before each entry, and before the end
  // By cell (leading bits) of a bound: the first mass whose upper end can reach it.
  std::vector<std::uint32_t> m_start;
  int m_firstCell = 0;
};

}  // namespace quantscope
