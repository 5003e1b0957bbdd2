#include "onnx/four_bit_codes.h"

namespace quantscope {

Tensor unpackFourBit(std::span<const std::byte> packed, int onnxType, const Shape& shape) {
  const bool isSigned = onnxType == kOnnxInt4;
  Tensor tensor(isSigned ? ElementType::Int8 : ElementType::UInt8, shape);
  std::byte* codes = tensor.mutableBytes();
  for (std::size_t i = 0; i < tensor.elementCount(); ++i) {
    const auto both = std::to_integer<unsigned>(packed[i / 2]);
    const unsigned code = i % 2 == 0 ? both & 0xFU : both >> 4U;
    // The highest of the four bits is the sign.
    codes[i] = static_cast<std::byte>(isSigned && code > 7 ? code | 0xF0U : code);
  }
  return tensor;
}

std::string packFourBit(std::span<const std::byte> codes) {
  std::string packed((codes.size() + 1) / 2, '\0');
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const unsigned code = std::to_integer<unsigned>(codes[i]) & 0xFU;
    const auto both = static_cast<unsigned char>(packed[i / 2]);
    packed[i / 2] = static_cast<char>(i % 2 == 0 ? code : both | code << 4U);
  }
  return packed;
}

}  // namespace quantscope
