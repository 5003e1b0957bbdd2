#pragma once

#include "repair/repair_step.h"

namespace quantscope {

/// Smaller scales for integer weights, of whose largest some are cut off then. Each grid takes of
/// 40 scales from 100 % to 41 % of its own the one with the least loss: way 0 E‖(Ŵ − W)·x̂‖² of its
/// output channels over the samples, way 1 without samples Σ|ŵ − w|^2.4, as BRECQ and GPTQ's code
/// do. Of grids that are not symmetric both ends move like that together, then the upper and the
/// lower one by themselves; 0 keeps a code. Legal where weights are integers and their scale is not
/// fixed by an encoding of the configuration; scales stay as large as a bias of int32 needs them.
RepairProposal proposeClipping(const RepairState& state, const LinearLayers& layers,
                               RepairTools& tools, std::size_t way);

/// Ways of clipping.
inline constexpr std::size_t kClippingWays = 2;

}  // namespace quantscope
