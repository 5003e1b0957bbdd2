#pragma once

#include "repair/repair_step.h"

namespace quantscope {

/// Empirical bias correction: per output channel b −= E[ŷ] − E[y] over samples and positions, layer
/// after layer, behind quantized layers that are corrected already (Nagel 2019, equation 16, with
/// AIMET's order). As the layers are linear, E[ŷ] − E[y] = Ŵ·E[x̂] − W·E[x]. A MatMul without a bias
/// gets one by an Add behind it.
RepairProposal proposeBiasCorrection(const RepairState& state, const LinearLayers& layers,
                                     RepairTools& tools, std::size_t way);

/// A bias as a constant for its place: in the shape of the one there is, else [outputs].
Tensor biasTensor(const Engine& engine, const LinearLayer& layer, const std::vector<double>& bias);

}  // namespace quantscope
