#pragma once

#include "repair/repair_step.h"
#include "repair/scales/scale_regions.h"

namespace quantscope {

/// SmoothQuant (Xiao 2022) for every region of its own: s_c = a_c^α / w_c^(1−α), a_c the largest
/// observed value of channel c and w_c the largest weight that reads it; x/s and W·s. α is none, or
/// of 0, 0.05 … 1 the one with the least squared error that rounding x and W leaves in the sums of
/// all layers that read the region, over a sample of their columns. Scale and shift of
/// normalizations, factors, and the layers that make the region take 1/s in. s stays within
/// 1e-4 … 1e4; dead channels keep 1.
///
/// Legal in a ScaleRegion without Clips whose layers that make it have a scale per channel: those
/// of others are for equalization to even out. Way 0 takes all of them, way 1 those that
/// normalizations and factors alone make. Way 2 takes all of them and inserts a Mul by 1/s in front
/// of other layers, where it takes a fifth of their error (inserted_scales.h).
RepairProposal proposeSmoothing(const RepairState& state, const LinearLayers& layers,
                                RepairTools& tools, std::size_t way);

inline constexpr std::size_t kSmoothingWays = 3;

/// AWQ (Lin 2023) where activations stay float: s = mean|X|^r with r of 0, 0.05 … 0.95, over
/// √(max·min) of all s, at least 1e-4, by the error of the layers' outputs. Smaller scales for
/// groups of weights are the step "clip".
RepairProposal proposeWeightOnlyScales(const RepairState& state, const LinearLayers& layers,
                                       RepairTools& tools, std::size_t way);

/// The parameters of `params` that fit a tensor of changed weights by its extremes.
QuantParams fittedTo(const QuantParams& params, const Tensor& weight);

}  // namespace quantscope
