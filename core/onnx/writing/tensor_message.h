#pragma once

#include <onnx/onnx_pb.h>

#include <string>

#include "tensor/tensor.h"

namespace quantscope {

/// The tensor in logical order, its elements as raw data. `storedType`: ONNX's number of a type
/// that Tensor lacks (see ModelDraft::storedTypes), else 0.
void writeTensor(const Tensor& tensor, int storedType, onnx::TensorProto& message);

}  // namespace quantscope
