#pragma once

#include <span>

#include "tensor/element_type.h"

namespace quantscope {

/// Exact: every binary16 is a binary32.
float toFloat(Float16 value);
float toFloat(BFloat16 value);

/// Round to nearest, ties to even, subnormals kept, overflow to ±Inf; a NaN stays a quiet NaN.
/// Independent of the denormal flushing mode.
Float16 toFloat16(float value);
BFloat16 toBFloat16(float value);

/// The same for arrays of equal length, with the processor's conversion where it has one; the bits
/// do not depend on that. Throws InvalidParameters for lengths that differ.
void toFloat(std::span<const Float16> in, std::span<float> out);
void toFloat16(std::span<const float> in, std::span<Float16> out);

/// toFloat(toFloat16(x)) of each element; the arrays may be the same one.
void roundToFloat16(std::span<const float> in, std::span<float> out);

}  // namespace quantscope
