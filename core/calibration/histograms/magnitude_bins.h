#pragma once

#include <cstddef>
#include <vector>

#include "calibration/histograms/bin_masses.h"

namespace quantscope {

/// Equal bins of |x| from 0 up, without the numbers that are 0.
struct MagnitudeBins {
  std::vector<double> counts;
  double width = 0;
  double beyond = 0;  ///< how many numbers lie behind the last bin
};

constexpr std::size_t kMagnitudeBins = 2048;

/// Bins to search for a threshold: at most 2,049, up to the largest magnitude. Those of the linear
/// histogram where it has so few between 0 and there, and where no number exceeds 32 times what
/// 99 % stay below; else 2,048 up to those 32 times, or to the largest, as magnitudesUpTo() makes
/// them. `masses` are the observation's, and not all of them zeros.
MagnitudeBins magnitudeBins(const Observation& observation, const std::vector<BinMass>& masses);

/// 2,048 bins from 0 to `end` > 0, made of log-linear bins.
MagnitudeBins magnitudesUpTo(const std::vector<BinMass>& masses, double end);

}  // namespace quantscope
