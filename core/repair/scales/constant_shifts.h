#pragma once

#include "repair/repair_state.h"
#include "repair/scales/scaled_layers.h"

namespace quantscope {

/// True if the layers that read a region can subtract what is added to its channels: each has a
/// place for a bias and pads no zeros, and no other operator reads the region. So W·(x + c) = W·x +
/// W·c at every place.
bool readersTakeShifts(const Engine& engine, const std::vector<LinearLayer>& layers,
                       const ScaleRegion& region);

/// b += Σ W·shift for all layers that read the region, by channel of the region.
void addToReaders(ScaledLayers& scaled, const std::vector<LinearLayer>& layers,
                  const ScaleRegion& region, const std::vector<double>& shifts);

/// High-bias absorption (Nagel 2019, section 4.1.3), by channel of the region: the amount that can
/// move from the bias of the layer that makes it into the layers that read it. It follows from the
/// observed values, not from the normalization's β − 3γ: behind a rectifier the least value if it
/// is above 0, for a value without an activation the middle of its range. 0 where it is not legal:
/// where several layers make the channel, an operator between does not allow the shift, or a Clip
/// came into effect.
std::vector<double> absorbableShifts(const RepairState& state,
                                     const std::vector<LinearLayer>& layers,
                                     const ScaleRegion& region);

/// Takes shifts out of the makers' biases and adds them to what reads them.
void absorb(ScaledLayers& scaled, const std::vector<LinearLayer>& layers, const ScaleRegion& region,
            const std::vector<double>& shifts);

}  // namespace quantscope
