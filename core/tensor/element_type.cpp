#include "tensor/element_type.h"

namespace quantscope {

std::size_t byteSize(ElementType type) {
  return visitElementType(type, []<class T>() { return sizeof(T); });
}

std::string_view name(ElementType type) {
  switch (type) {
    case ElementType::Float32:
      return "float32";
    case ElementType::Float64:
      return "float64";
    case ElementType::Float16:
      return "float16";
    case ElementType::BFloat16:
      return "bfloat16";
    case ElementType::Int8:
      return "int8";
    case ElementType::UInt8:
      return "uint8";
    case ElementType::Int16:
      return "int16";
    case ElementType::UInt16:
      return "uint16";
    case ElementType::Int32:
      return "int32";
    case ElementType::UInt32:
      return "uint32";
    case ElementType::Int64:
      return "int64";
    case ElementType::UInt64:
      return "uint64";
    case ElementType::Bool:
      return "bool";
  }
  return "unknown";
}

}  // namespace quantscope
