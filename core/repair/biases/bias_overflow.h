#pragma once

#include "repair/repair_step.h"

namespace quantscope {

/// Why it has nothing to do where no bias of the given layers overflows.
inline constexpr const char* kEveryBiasFits = "every bias fits into its integers";

/// Larger scales for weights whose int32 bias does not fit: b/(s_x·s_w) has to stay within
/// 2³¹ − 1 − max|q_x − z_x|·Σ|q_w| of its channel, so that the sum of the products fits into the
/// accumulator, too. A scale per tensor follows the channel that needs most. Legal where a
/// configuration rounds biases to int32 and one of them does not fit; usually weights that folding
/// has brought near to 0.
RepairProposal proposeBiasOverflow(const RepairState& state, const LinearLayers& layers,
                                   RepairTools& tools, std::size_t way);

/// `params` of the layer's weights with scales that are large enough for its bias; the same where
/// the configuration does not round it to int32.
QuantParams fittedToBias(const RepairState& state, const LinearLayer& layer, QuantParams params);

/// The scale of weights w that a bias b needs at least: s_w, or the smallest above it with
/// |b| ≤ (2³¹ − 1 − span·Σ|q_w|)·s_x·s_w. `codes`: Σ|q_w| at s_w, which a larger scale only lowers.
double scaleForBias(double bias, double inputScale, double weightScale, double span, double codes);

}  // namespace quantscope
