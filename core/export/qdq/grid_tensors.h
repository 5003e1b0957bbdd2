#pragma once

#include "export/qdq/code_type.h"
#include "quant/quant_params.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Scales and zero points as DequantizeLinear takes them.
struct GridTensors {
  Tensor scale;      ///< float32: a scalar, [channels], or one per block in the tensor's rank
  Tensor zeroPoint;  ///< codes of `code`, in the shape of the scale
};

/// Makes them from static parameters. `shape`: of the quantized tensor; needed for blocks only.
GridTensors gridTensors(const QuantParams& params, const CodeType& code, const Shape& shape);

/// One code, or real bound, as a scalar of the carrier.
Tensor codeScalar(std::int32_t code, ElementType carrier);

}  // namespace quantscope
