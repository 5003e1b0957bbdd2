#include "onnx/tensors.h"

#include <charconv>
#include <cstring>
#include <span>
#include <vector>

#include "base/error.h"
#include "onnx/external_data.h"
#include "onnx/float8_numbers.h"
#include "onnx/four_bit_codes.h"
#include "onnx/names.h"

namespace quantscope {
namespace {

std::optional<Shape> toShape(const onnx::TensorProto& message) {
  for (const std::int64_t extent : message.dims()) {
    if (extent < 0) {
      throw Error(ErrorCode::InvalidModel,
                  "a tensor has the negative extent " + std::to_string(extent), {}, kExportAgain);
    }
  }
  if (static_cast<std::size_t>(message.dims_size()) > Shape::kMaxRank) return std::nullopt;
  return Shape(std::span(message.dims().data(), static_cast<std::size_t>(message.dims_size())));
}

[[noreturn]] void refuseSize(const Shape& shape, ElementType type, std::size_t found,
                             const char* unit) {
  throw Error(ErrorCode::InvalidModel,
              "a " + std::string(name(type)) + " tensor of shape " + toString(shape) + " holds " +
                  std::to_string(found) + " " + unit,
              {}, kExportAgain);
}

std::size_t packedBytes(const Shape& shape) {
  return (static_cast<std::size_t>(shape.elementCount()) + 1) / 2;
}

// Reads a message whose type has four bits; the typed field holds a byte in each number.
Tensor fromPacked(const onnx::TensorProto& message, ElementType type, const Shape& shape) {
  std::string bytes = message.raw_data();
  if (!message.has_raw_data()) {
    for (const std::int32_t number : message.int32_data()) bytes += static_cast<char>(number);
  }
  if (bytes.size() != packedBytes(shape)) refuseSize(shape, type, bytes.size(), "packed bytes");
  return unpackFourBit(std::as_bytes(std::span(bytes)), message.data_type(), shape);
}

// Reads a message whose type is FP8.
Tensor fromFloat8(const onnx::TensorProto& message, ElementType type, const Shape& shape) {
  std::string bytes = message.raw_data();
  if (!message.has_raw_data()) {
    for (const std::int32_t number : message.int32_data()) bytes += static_cast<char>(number);
  }
  if (bytes.size() != static_cast<std::size_t>(shape.elementCount())) {
    refuseSize(shape, type, bytes.size(), "bytes of FP8");
  }
  return unpackFloat8(std::as_bytes(std::span(bytes)), message.data_type(), shape);
}

std::uintmax_t bytesOf(const Shape& shape, ElementType type) {
  std::uintmax_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<std::uintmax_t>(shape.elementCount()), byteSize(type),
                             &bytes)) {
    throw Error(ErrorCode::InvalidModel,
                "a tensor of shape " + toString(shape) + " has more bytes than can be counted", {},
                kExportAgain);
  }
  return bytes;
}

// Any byte other than 0 and 1 is no valid bool for the compiler.
void normalizeBooleans(Tensor& tensor) {
  if (tensor.type() != ElementType::Bool) return;
  std::byte* bytes = tensor.mutableBytes();
  for (std::size_t i = 0; i < tensor.elementCount(); ++i) {
    bytes[i] = bytes[i] == std::byte{0} ? std::byte{0} : std::byte{1};
  }
}

Tensor fromRawData(const std::string& bytes, ElementType type, const Shape& shape) {
  if (bytes.size() != bytesOf(shape, type)) refuseSize(shape, type, bytes.size(), "bytes");
  Tensor tensor(type, shape);
  std::memcpy(tensor.mutableBytes(), bytes.data(), bytes.size());
  normalizeBooleans(tensor);
  return tensor;
}

// The narrow types stand in a wider field, the half types as their bits.
template <class Field>
Tensor fromField(const Field& field, ElementType type, const Shape& shape) {
  const auto count = static_cast<std::size_t>(field.size());
  if (count != static_cast<std::uintmax_t>(shape.elementCount())) {
    refuseSize(shape, type, count, "elements");
  }
  Tensor tensor(type, shape);
  visitElementType(type, [&]<class T>() {
    const std::span<T> target = tensor.mutableValues<T>();
    for (std::size_t i = 0; i < count; ++i) {
      const auto element = field[static_cast<int>(i)];
      if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
        target[i] = T{static_cast<std::uint16_t>(element)};
      } else {
        target[i] = static_cast<T>(element);
      }
    }
  });
  return tensor;
}

Tensor fromTypedField(const onnx::TensorProto& message, ElementType type, const Shape& shape) {
  switch (type) {
    case ElementType::Float32:
      return fromField(message.float_data(), type, shape);
    case ElementType::Float64:
      return fromField(message.double_data(), type, shape);
    case ElementType::Int64:
      return fromField(message.int64_data(), type, shape);
    case ElementType::UInt32:
    case ElementType::UInt64:
      return fromField(message.uint64_data(), type, shape);
    default:
      return fromField(message.int32_data(), type, shape);
  }
}

std::uintmax_t parseCount(const std::string& text, const char* key) {
  std::uintmax_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc() || stop != end) {
    throw Error(ErrorCode::InvalidModel,
                std::string("the ") + key + " of external data is no number: '" + text + "'", {},
                kExportAgain);
  }
  return number;
}

}  // namespace

std::optional<ElementType> toElementType(int onnxType) {
  switch (onnxType) {
    case onnx::TensorProto::FLOAT:
      return ElementType::Float32;
    case onnx::TensorProto::DOUBLE:
      return ElementType::Float64;
    case onnx::TensorProto::FLOAT16:
      return ElementType::Float16;
    case onnx::TensorProto::BFLOAT16:
      return ElementType::BFloat16;
    case onnx::TensorProto::INT8:
      return ElementType::Int8;
    case onnx::TensorProto::UINT8:
      return ElementType::UInt8;
    case onnx::TensorProto::INT16:
      return ElementType::Int16;
    case onnx::TensorProto::UINT16:
      return ElementType::UInt16;
    case onnx::TensorProto::INT32:
      return ElementType::Int32;
    case onnx::TensorProto::UINT32:
      return ElementType::UInt32;
    case onnx::TensorProto::INT64:
      return ElementType::Int64;
    case onnx::TensorProto::UINT64:
      return ElementType::UInt64;
    case onnx::TensorProto::BOOL:
      return ElementType::Bool;
    case kOnnxFloat8E4M3:
    case kOnnxFloat8E5M2:
      return ElementType::Float32;
    case kOnnxInt4:
      return ElementType::Int8;
    case kOnnxUInt4:
      return ElementType::UInt8;
    default:
      return std::nullopt;
  }
}

ValueType toValueType(const onnx::TypeProto& type) {
  ValueType result;
  if (!type.has_tensor_type()) return result;
  result.element = toElementType(type.tensor_type().elem_type());
  if (!type.tensor_type().has_shape()) return result;
  result.shape.emplace();
  for (const auto& dimension : type.tensor_type().shape().dim()) {
    Dimension converted;
    if (dimension.dim_value() > 0) converted.extent = dimension.dim_value();
    const std::string& symbol = dimension.dim_param();
    if (symbol != "None" && symbol != "?") converted.symbol = printableName(symbol);
    result.shape->push_back(std::move(converted));
  }
  return result;
}

Tensor TensorReader::read(const onnx::TensorProto& message) const {
  const std::optional<ElementType> type = toElementType(message.data_type());
  const std::optional<Shape> shape = toShape(message);
  if (!type || !shape) return {};
  if (message.has_segment()) {
    throw Error(ErrorCode::InvalidModel, "a tensor is stored in segments, which nothing reads", {},
                kExportAgain);
  }
  if (message.data_location() == onnx::TensorProto::EXTERNAL) {
    return readExternal(message, *type, *shape);
  }
  if (isFourBit(message.data_type())) return fromPacked(message, *type, *shape);
  if (isFloat8(message.data_type())) return fromFloat8(message, *type, *shape);
  return message.has_raw_data() ? fromRawData(message.raw_data(), *type, *shape)
                                : fromTypedField(message, *type, *shape);
}

Tensor TensorReader::readExternal(const onnx::TensorProto& message, ElementType type,
                                  const Shape& shape) const {
  const bool packed = isFourBit(message.data_type());
  const bool isByte = isFloat8(message.data_type());
  const std::uintmax_t bytes = packed   ? packedBytes(shape)
                               : isByte ? bytesOf(shape, ElementType::UInt8)
                                        : bytesOf(shape, type);
  std::string location;
  std::uintmax_t offset = 0;
  std::uintmax_t length = bytes;
  for (const auto& entry : message.external_data()) {
    if (entry.key() == "location") location = entry.value();
    if (entry.key() == "offset") offset = parseCount(entry.value(), "offset");
    if (entry.key() == "length") length = parseCount(entry.value(), "length");
  }
  if (length != bytes) refuseSize(shape, type, length, "bytes of external data");
  ExternalData source(m_folder, location, offset, bytes);
  std::vector<StampedFile>& files = m_external.files;
  if (files.empty() || files.back().path != source.path()) {
    files.push_back({source.path(), stampOf(source.path())});
  }
  if (packed || isByte) {
    std::vector<std::byte> codes(bytes);
    source.read(codes);
    m_external.content.add(codes);
    return packed ? unpackFourBit(codes, message.data_type(), shape)
                  : unpackFloat8(codes, message.data_type(), shape);
  }
  Tensor tensor(type, shape);
  const std::span elements(tensor.mutableBytes(), tensor.byteSize());
  source.read(elements);
  m_external.content.add(std::span<const std::byte>(elements));
  normalizeBooleans(tensor);
  return tensor;
}

}  // namespace quantscope
