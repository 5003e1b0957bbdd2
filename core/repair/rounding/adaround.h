#pragma once

#include "repair/repair_step.h"

namespace quantscope {

/// AdaRound (soft_rounding.h) of the layers with at most 4-bit integer weights, those first whose
/// weights lose most by rounding, until what learning takes is used up: layer after layer in the
/// order in which they run, from the codes that they have by then. As in Gram rounding the bias is
/// solved with the weights. Legal where weights are integers of at most 4 bits.
RepairProposal proposeAdaRound(const RepairState& state, const LinearLayers& layers,
                               RepairTools& tools, std::size_t way);

}  // namespace quantscope
