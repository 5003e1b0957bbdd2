#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "analysis/analysis_result.h"

namespace quantscope {

/// The parts of a layer that can be quantized by themselves.
enum class LayerPart : std::uint8_t { Input, Weight, Bias, Output, Clipping };
inline constexpr std::array kLayerParts{LayerPart::Input, LayerPart::Weight, LayerPart::Bias,
                                        LayerPart::Output, LayerPart::Clipping};

/// The error of one part, in parts of the signal's power.
double errorOf(const ErrorBudget& budget, LayerPart part);

/// The part of a layer's error that is larger than any other.
struct DominatingPart {
  LayerPart part = LayerPart::Input;
  double share = 0;  ///< of the sum of all parts, 0.2 … 1
};

/// nullopt if every part is exact.
std::optional<DominatingPart> dominatingPart(const ErrorBudget& budget);

}  // namespace quantscope
