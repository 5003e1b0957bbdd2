#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "tensor/tensor.h"

namespace quantscope {

/// ONNX's numbers of the types whose codes take four bits, two in a byte. In memory each code has a
/// byte of its own.
constexpr int kOnnxUInt4 = 21;
constexpr int kOnnxInt4 = 22;

constexpr bool isFourBit(int onnxType) {
  return onnxType == kOnnxUInt4 || onnxType == kOnnxInt4;
}

/// Two codes per byte, the first in the low half, as uint8 or int8. `packed` holds
/// ⌈elements / 2⌉ bytes.
Tensor unpackFourBit(std::span<const std::byte> packed, int onnxType, const Shape& shape);

/// The reverse: of each byte the lowest four bits.
std::string packFourBit(std::span<const std::byte> codes);

}  // namespace quantscope
