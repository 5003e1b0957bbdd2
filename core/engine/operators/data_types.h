#pragma once

#include <cstdint>
#include <string_view>

#include "tensor/element_type.h"

namespace quantscope {

/// The element type behind a number of ONNX's TensorProto.DataType, as `to` and `dtype` hold it.
/// Throws UnsupportedType for strings, complex numbers and types below eight bits.
ElementType elementTypeOfNumber(std::int64_t number);

/// The same for the names that version 1 of Cast has: "FLOAT", "INT64", …
ElementType elementTypeOfName(std::string_view name);

}  // namespace quantscope
