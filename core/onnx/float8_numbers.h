#pragma once

#include <cstddef>
#include <span>

#include "tensor/tensor.h"

namespace quantscope {

/// ONNX's numbers of the FP8 types that are read. In memory their elements are the same numbers in
/// float32.
constexpr int kOnnxFloat8E4M3 = 17;
constexpr int kOnnxFloat8E5M2 = 19;

constexpr bool isFloat8(int onnxType) {
  return onnxType == kOnnxFloat8E4M3 || onnxType == kOnnxFloat8E5M2;
}

/// The numbers of one byte per element.
Tensor unpackFloat8(std::span<const std::byte> bytes, int onnxType, const Shape& shape);

}  // namespace quantscope
