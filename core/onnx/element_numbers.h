#pragma once

#include "tensor/element_type.h"

namespace quantscope {

/// ONNX's number of an element type (TensorProto.DataType).
int onnxNumberOf(ElementType type);

}  // namespace quantscope
