#pragma once

#include <span>
#include <vector>

#include "repair/repair_step.h"

namespace quantscope {

/// Rounds the weights of one output channel so that their errors cancel (SQuant, Guo 2022): from
/// the nearest codes on, those with the largest errors of the sign that prevails go to the next
/// code on the other side, first in every kernel of `taps` weights, then in the whole channel,
/// until the errors of each add up to no more than half a code, where the range of codes allows it.
/// `weights` are divided by their scale; `lowest`, `highest`: the codes less the zero point.
std::vector<double> cancelErrors(std::span<const double> weights, std::size_t taps, double lowest,
                                 double highest);

/// cancelErrors() for all layers with integer weights. Takes no samples; not after a rounding that
/// does.
RepairProposal proposeDataFreeRounding(const RepairState& state, const LinearLayers& layers,
                                       RepairTools& tools, std::size_t way);

}  // namespace quantscope
