#pragma once

#include "repair/repair_step.h"

namespace quantscope {

/// Other ranges for activations that were observed by their extremes: the one with the least
/// squared error, or those that leave 0.01 % or 0.1 % of the elements out on either side. One way
/// applies to the whole network: the effect of clipping shows only at the outputs.
RepairProposal proposeRanges(const RepairState& state, const LinearLayers& layers,
                             RepairTools& tools, std::size_t way);

/// Ways of finding ranges.
inline constexpr std::size_t kRangeWays = 3;

}  // namespace quantscope
