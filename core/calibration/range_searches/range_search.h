#pragma once

#include <functional>
#include <vector>

#include "calibration/histograms/bin_masses.h"
#include "quant/quant_params.h"

namespace quantscope {

/// The cost of a range, and the part of the cost that never falls while the range shrinks
/// (clipping). A search ends when that part alone exceeds the best cost.
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
