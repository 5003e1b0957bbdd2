#include "onnx/writing/tensor_message.h"

#include "onnx/element_numbers.h"
#include "onnx/four_bit_codes.h"

namespace quantscope {

int onnxNumberOf(ElementType type) {
  switch (type) {
    case ElementType::Float32:
      return onnx::TensorProto::FLOAT;
    case ElementType::Float64:
      return onnx::TensorProto::DOUBLE;
    case ElementType::Float16:
      return onnx::TensorProto::FLOAT16;
    case ElementType::BFloat16:
      return onnx::TensorProto::BFLOAT16;
    case ElementType::Int8:
      return onnx::TensorProto::INT8;
    case ElementType::UInt8:
      return onnx::TensorProto::UINT8;
    case ElementType::Int16:
      return onnx::TensorProto::INT16;
    case ElementType::UInt16:
      return onnx::TensorProto::UINT16;
    case ElementType::Int32:
      return onnx::TensorProto::INT32;
    case ElementType::UInt32:
      return onnx::TensorProto::UINT32;
    case ElementType::Int64:
      return onnx::TensorProto::INT64;
    case ElementType::UInt64:
      return onnx::TensorProto::UINT64;
    case ElementType::Bool:
      break;
  }
  return onnx::TensorProto::BOOL;
}

void writeTensor(const Tensor& tensor, int storedType, onnx::TensorProto& message) {
  const Tensor plain = toLayout(tensor, Layout::Plain);
  for (const std::int64_t extent : plain.shape()) message.add_dims(extent);
  message.set_data_type(storedType != 0 ? storedType : onnxNumberOf(plain.type()));
  const std::span<const std::byte> bytes(plain.bytes(), plain.byteSize());
  if (isFourBit(storedType)) {
    message.set_raw_data(packFourBit(bytes));
  } else {
    message.set_raw_data(bytes.data(), bytes.size());
  }
}

}  // namespace quantscope
