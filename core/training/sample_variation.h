#pragma once

#include "base/counter_random.h"
#include "tensor/tensor.h"

namespace quantscope {

/// A picture [1, C, H, W] or [1, H, W, C], C ≤ 4, moved by up to an eighth of its extents with its
/// border repeated, and mirrored from left to right half of the time; any other tensor as it is.
/// The float network says what its outputs are to be, so that no variation has to keep a meaning.
Tensor shiftedPicture(const Tensor& picture, const CounterRandom& random);

/// λ·a + (1 − λ)·b of two float32 tensors of one shape (Zhang and others, "mixup"); Plain.
Tensor mixtureOf(const Tensor& a, const Tensor& b, float lambda);

}  // namespace quantscope
