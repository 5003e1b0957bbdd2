#include "engine/operators/data_types.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/error.h"

namespace quantscope {
namespace {

struct DataType {
  std::int64_t number;
  std::string_view name;
  ElementType type;
};

// onnx.proto, TensorProto.DataType.
constexpr std::array kDataTypes = {
    DataType{1, "FLOAT", ElementType::Float32},      DataType{2, "UINT8", ElementType::UInt8},
    DataType{3, "INT8", ElementType::Int8},          DataType{4, "UINT16", ElementType::UInt16},
    DataType{5, "INT16", ElementType::Int16},        DataType{6, "INT32", ElementType::Int32},
    DataType{7, "INT64", ElementType::Int64},        DataType{9, "BOOL", ElementType::Bool},
    DataType{10, "FLOAT16", ElementType::Float16},   DataType{11, "DOUBLE", ElementType::Float64},
    DataType{12, "UINT32", ElementType::UInt32},     DataType{13, "UINT64", ElementType::UInt64},
    DataType{16, "BFLOAT16", ElementType::BFloat16},
};

[[noreturn]] void failUnknown(const std::string& what) {
  throw Error(ErrorCode::UnsupportedType, "tensors of data type " + what + " are not supported");
}

}  // namespace

ElementType elementTypeOfNumber(std::int64_t number) {
  const auto found = std::ranges::find(kDataTypes, number, &DataType::number);
  if (found == kDataTypes.end()) failUnknown(std::to_string(number));
  return found->type;
}

ElementType elementTypeOfName(std::string_view name) {
  const auto found = std::ranges::find(kDataTypes, name, &DataType::name);
  if (found == kDataTypes.end()) failUnknown(std::string(name));
  return found->type;
}

}  // namespace quantscope
