#include "onnx/float8_numbers.h"

#include "kernels/codes/quantize_packed.h"

namespace quantscope {

Tensor unpackFloat8(std::span<const std::byte> bytes, int onnxType, const Shape& shape) {
  Tensor tensor(ElementType::Float32, shape);
  const QuantType type =
      onnxType == kOnnxFloat8E4M3 ? QuantType::Float8E4M3 : QuantType::Float8E5M2;
  dequantizePacked({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                   tensor.mutableValues<float>(), Codes::of(type), Grid());
  return tensor;
}

}  // namespace quantscope
