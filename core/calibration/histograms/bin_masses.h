#pragma once

#include <vector>

#include "calibration/observers/observation.h"

namespace quantscope {

/// `count` numbers spread evenly from `low` to `high`, low ≤ high.
struct BinMass {
  double low = 0;
  double high = 0;
  double count = 0;
};

/// The bins of the log-linear histogram in ascending order, none beyond the smallest and largest
/// number that was observed.
std::vector<BinMass> binMasses(const Observation& observation);

}  // namespace quantscope
