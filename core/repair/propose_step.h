#pragma once

#include "repair/repair_step.h"

namespace quantscope {

/// What a step proposes for these layers of a state. One that moves grids gets them without those
/// that the configuration fixes, which are among the refused ones then.
RepairProposal proposeStep(const RepairStep& step, const RepairState& state, LinearLayers layers,
                           RepairTools& tools, std::size_t way);

}  // namespace quantscope
