#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "quant/quant_params.h"

namespace quantscope {

/// How a scale s is learned: which number θ an optimizer steps, and what its gradient is.
///
/// - Log: θ = ln s, so s stays positive; ∂L/∂θ = s·∂L/∂s.
/// - Lsq: θ = s; the gradient is ∂L/∂s/√(N·p), N elements of a sample on one grid, p the largest
///   code (Esser and others, "Learned Step Size Quantization").
/// - Tqt: s = 2^⌈θ⌉, a power of two, θ = log₂ of the threshold over 2^(b − 1) for b signed bits, or
///   over 2^b; ∂L/∂θ = s·ln 2·∂L/∂s (Jain and others, "Trained Quantization Thresholds").
enum class ScaleForm : unsigned char { Log, Lsq, Tqt };

std::string_view name(ScaleForm form);
/// "log", "lsq" or "tqt".
std::optional<ScaleForm> scaleFormFromName(std::string_view name);

/// θ of a scale to start from. Tqt: s·2^⌈θ⌉ is the next power of two that is no smaller.
double learnedFrom(ScaleForm form, float scale);
/// The scale of θ: a positive normal number.
float scaleOf(ScaleForm form, double theta);
/// ∂L/∂θ from ∂L/∂s. `elements`: N; `highest`: p.
double learnedGradient(ScaleForm form, double scaleGradient, float scale, std::size_t elements,
                       std::int32_t highest);
/// One unit of a learning rate in θ: 1 % of the scale with a rate of 0.01.
double learnedUnit(ScaleForm form, float startScale);

}  // namespace quantscope
