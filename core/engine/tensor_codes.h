#pragma once

#include "quant/quant_params.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The codes that a float32 tensor (Plain) has on the grids of `params`, in its shape: integers and
/// ternary as they are, binary as −1 and 1, in int8, uint8, int16 or uint16; of FP8, FP16 and BF16
/// the bits of the format, in uint8 or uint16. A NaN that the type lacks counts as 0.
/// Throws InvalidParameters for float32, which has no codes.
Tensor codesOf(const Tensor& tensor, const QuantParams& params);

}  // namespace quantscope
