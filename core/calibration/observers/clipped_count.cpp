#include "calibration/observers/clipped_count.h"

#include <algorithm>

#include "calibration/histograms/bin_masses.h"

namespace quantscope {
namespace {

// The part of a bin's numbers that lies from `low` to `high`.
double inside(const BinMass& bin, double low, double high) {
  if (bin.low == bin.high) return bin.low >= low && bin.low <= high ? bin.count : 0;
  const double width = std::min(bin.high, high) - std::max(bin.low, low);
  return bin.count * std::clamp(width / (bin.high - bin.low), 0.0, 1.0);
}

}  // namespace

double clippedCount(const Observation& observation, const QuantParams& params, const Grid& grid) {
  if (!hasScale(params.type) || isSignCode(params.type)) return 0;
  const Range range = params.unclipped(grid);
  double kept = 0;
  double all = 0;
  for (const BinMass& bin : binMasses(observation)) {
    kept += inside(bin, range.low, range.high);
    all += bin.count;
  }
  return all - kept;
}

}  // namespace quantscope
