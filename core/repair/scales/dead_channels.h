#pragma once

#include "repair/repair_step.h"

namespace quantscope {

/// Channels whose weights are all 0: W_i = 0. Their value is f(b_i) everywhere, which moves into
/// the biases of the layers that read it; b_i and the weights that read the channel become 0, so
/// that neither widens a range that others are rounded to. Legal in a ScaleRegion whose readers
/// have a place for a bias and pad no zeros.
RepairProposal proposeDeadChannels(const RepairState& state, const LinearLayers& layers,
                                   RepairTools& tools, std::size_t way);

}  // namespace quantscope
