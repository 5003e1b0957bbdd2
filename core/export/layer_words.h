#pragma once

#include <optional>
#include <string>

#include "analysis/analysis_result.h"

namespace quantscope {

/// The layer's operators as they are called in the field: "Conv + BN + ReLU".
std::string layerOps(const LayerResult& layer);

/// "int8 per-channel:0 symmetric"; empty where there is nothing to quantize, "fp32" where it is
/// left as it is.
std::string typeWords(const std::optional<AppliedType>& applied);

/// "its weights": the part that makes more than half of a layer's own error; empty where none does.
std::string largestPart(const ErrorBudget& budget);

/// "8.21 dB with weights alone quantized, 21.3 dB with activations alone".
std::string ladderWords(const LadderStep& step);

/// The effect of the output's grid on values that it cannot represent: "0.02 % clipped, the values
/// reach from −0.75 to 6.50, the grid from −0.73 to 5.26". Empty if it is not known.
std::string clippingWords(const LayerResult& layer);

}  // namespace quantscope
