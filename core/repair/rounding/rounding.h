#pragma once

#include "repair/repair_step.h"

namespace quantscope {

/// Rounds the weights of layer after layer so that the layer's outputs, behind quantized layers
/// that are rounded already, come closest to those of the float twin:
///
///   E‖W·x − Ŵ·x̂ + b − b̂‖² = tr((Ŵ − W*)·Ĥ·(Ŵ − W*)ᵀ) + what no weights change,
///
/// W* = W·Cov[x, x̂]·Ĥ⁻¹, Ĥ = Cov[x̂], and the bias that is best with them,
/// b̂ = b + W·E[x] − Ŵ·E[x̂]. A MatMul without a bias gets one by an Add behind it; a layer without a
/// place for a bias has moments about 0 instead. See gram_rounding.h for the search. W* learns from
/// samples, and goes too far where they are few: so ways differ in how far W goes towards it, and
/// in what share of its mean is added to the diagonal of Ĥ; the last way leaves weights at the
/// nearest code and fits the biases alone.
///
/// Legal where the weights are integers. Where there are not more than twice as many columns as
/// inputs to a sum, or more than 5,000 inputs, weights are rounded to the nearest and the bias
/// alone is fitted.
RepairProposal proposeRounding(const RepairState& state, const LinearLayers& layers,
                               RepairTools& tools, std::size_t way);

/// Ways of rounding.
inline constexpr std::size_t kRoundingWays = 4;

}  // namespace quantscope
