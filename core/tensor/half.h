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

}  // namespace quantscope
