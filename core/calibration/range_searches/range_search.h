#pragma once

#include <functional>
#include <vector>

#include "calibration/histograms/bin_masses.h"
#include "quant/quant_params.h"

namespace quantscope {

/// What a search makes of a range: its cost, and a part of it that never falls while the range
/// shrinks (the cost of clipping), so that a search may end where that part alone is too much.
struct RangeCost {
  double total = 0;
  double clipping = 0;
};

/// The range inside `whole` with the least cost; of equal ones the widest. Ends are those of
/// bins, and between them as dense as bins are.
///
/// Symmetric types search one magnitude. Asymmetric ones search both ends in turn until neither
/// moves, once from the whole range and once from the best one that is shrunk on both sides alike;
/// the better result counts. 0 is never left outside.
///
/// `leastCostOf`, if there is one, is quick to compute and never above the total cost: costs are
/// then computed only of ranges that it leaves a chance.
Range searchRange(const std::vector<BinMass>& masses, const Range& whole, bool symmetric,
                  const std::function<RangeCost(const Range&)>& costOf,
                  const std::function<double(const Range&)>& leastCostOf = {});

}  // namespace quantscope
