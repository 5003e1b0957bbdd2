#include "calibration/histograms/bin_masses.h"

#include <algorithm>

namespace quantscope {

std::vector<BinMass> binMasses(const Observation& observation) {
  const Range& range = observation.range;
  std::vector<BinMass> masses;
  for (const LogLinearBin& bin : observation.logLinear.bins()) {
    masses.push_back({std::clamp(bin.low, range.low, range.high),
                      std::clamp(bin.high, range.low, range.high), static_cast<double>(bin.count)});
  }
  return masses;
}

}  // namespace quantscope
