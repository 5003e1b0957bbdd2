#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quantscope {

/// Element types of tensors, those of ONNX that are numbers or booleans.
enum class ElementType : std::uint8_t {
  Float32,
  Float64,
  Float16,
  BFloat16,
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Bool,
};

/// IEEE 754 binary16 as its bits; arithmetic happens in float (see half.h).
struct Float16 {
  std::uint16_t bits = 0;
};

/// The upper half of a binary32 as its bits.
struct BFloat16 {
  std::uint16_t bits = 0;
};

/// Bytes that one element takes in memory.
std::size_t byteSize(ElementType type);

/// ONNX's name of the type: "float32", "int8", "bool", …
std::string_view name(ElementType type);

constexpr bool isFloat(ElementType type) {
  return type == ElementType::Float32 || type == ElementType::Float64 ||
         type == ElementType::Float16 || type == ElementType::BFloat16;
}

/// ElementTypeOf<T>::kType is the element type that is stored as T.
template <class T>
struct ElementTypeOf;
template <>
struct ElementTypeOf<float> {
  static constexpr ElementType kType = ElementType::Float32;
};
template <>
struct ElementTypeOf<double> {
  static constexpr ElementType kType = ElementType::Float64;
};
template <>
struct ElementTypeOf<Float16> {
  static constexpr ElementType kType = ElementType::Float16;
};
template <>
struct ElementTypeOf<BFloat16> {
  static constexpr ElementType kType = ElementType::BFloat16;
};
template <>
struct ElementTypeOf<std::int8_t> {
  static constexpr ElementType kType = ElementType::Int8;
};
template <>
struct ElementTypeOf<std::uint8_t> {
  static constexpr ElementType kType = ElementType::UInt8;
};
template <>
struct ElementTypeOf<std::int16_t> {
  static constexpr ElementType kType = ElementType::Int16;
};
template <>
struct ElementTypeOf<std::uint16_t> {
  static constexpr ElementType kType = ElementType::UInt16;
};
template <>
struct ElementTypeOf<std::int32_t> {
  static constexpr ElementType kType = ElementType::Int32;
};
template <>
struct ElementTypeOf<std::uint32_t> {
  static constexpr ElementType kType = ElementType::UInt32;
};
template <>
struct ElementTypeOf<std::int64_t> {
  static constexpr ElementType kType = ElementType::Int64;
};
template <>
struct ElementTypeOf<std::uint64_t> {
  static constexpr ElementType kType = ElementType::UInt64;
};
template <>
struct ElementTypeOf<bool> {
  static constexpr ElementType kType = ElementType::Bool;
};

/// Calls `function.template operator()<T>()` with the C++ type that stores `type`.
template <class Function>
decltype(auto) visitElementType(ElementType type, Function&& function) {
  switch (type) {
    case ElementType::Float32:
      return function.template operator()<float>();
    case ElementType::Float64:
      return function.template operator()<double>();
    case ElementType::Float16:
      return function.template operator()<Float16>();
    case ElementType::BFloat16:
      return function.template operator()<BFloat16>();
    case ElementType::Int8:
      return function.template operator()<std::int8_t>();
    case ElementType::UInt8:
      return function.template operator()<std::uint8_t>();
    case ElementType::Int16:
      return function.template operator()<std::int16_t>();
    case ElementType::UInt16:
      return function.template operator()<std::uint16_t>();
    case ElementType::Int32:
      return function.template operator()<std::int32_t>();
    case ElementType::UInt32:
      return function.template operator()<std::uint32_t>();
    case ElementType::Int64:
      return function.template operator()<std::int64_t>();
    case ElementType::UInt64:
      return function.template operator()<std::uint64_t>();
    case ElementType::Bool:
      break;
  }
  return function.template operator()<bool>();
}

}  // namespace quantscope
