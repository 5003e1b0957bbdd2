#pragma once

#include "tensor/tensor.h"

namespace quantscope::test {

/// How far one value of a model may be from ONNX Runtime's.
enum class Tolerance {
  Float32,  ///< 1e-4 of the largest magnitude, or 1e-6; integers and booleans exactly
  /// 8e-3 of the largest magnitude, because one step of a logit in 32 … 64, 2⁻⁵, moves a
  /// probability by up to a quarter of it; integers and booleans exactly
  Float16,
  Quantized,  ///< 2e-2 relative L2 error, because a rounding tie can flip a step
};

/// The error in units of what is allowed: at most 1 is good. Infinite where type or shape differ,
/// or NaNs and infinities stand elsewhere.
double errorRatio(const Tensor& ours, const Tensor& theirs, Tolerance tolerance);

}  // namespace quantscope::test
