#pragma once

#include "repair/repair_step.h"

namespace quantscope {

/// Why biases of a layer are not fitted.
inline constexpr const char* kNoBiasPlace = "it has no place for a bias";

/// Empirical bias correction: per output channel b −= E[ŷ] − E[y] over samples and positions, layer
/// after layer, behind quantized layers that are corrected already (Nagel 2019, equation 16, with
/// AIMET's order). As the layers are linear, E[ŷ] − E[y] = Ŵ·E[x̂] − W·E[x].
RepairProposal proposeBiasCorrection(const RepairState& state, const LinearLayers& layers,
                                     RepairTools& tools, std::size_t way);

/// A bias as a constant for its place: in the shape of the one there is, else [outputs].
Tensor biasTensor(const Engine& engine, const LinearLayer& layer, const std::vector<double>& bias);

}  // namespace quantscope
