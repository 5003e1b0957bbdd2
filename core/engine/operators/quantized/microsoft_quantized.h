#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"
#include "engine/operator_registry.h"
#include "tensor/tensor.h"

namespace quantscope {

// The operators of com.microsoft that ONNX Runtime's quantizer writes. Their results are those of
// ONNX Runtime to the last bit, so each file says in which order it computes in float.

/// All of them.
void registerMicrosoftQuantized(OperatorRegistry& registry);

void registerQLinearBinary(OperatorRegistry& registry);
void registerQLinearTables(OperatorRegistry& registry);
void registerQLinearPooling(OperatorRegistry& registry);
void registerQGemm(OperatorRegistry& registry);
void registerIntegerProductsToFloat(OperatorRegistry& registry);

/// The scale and zero point of a whole tensor of 8-bit codes.
struct CodeGrid {
  float scale;
  std::int32_t zeroPoint;

  /// Reads inputs `index` and `index + 1`; an omitted zero point is 0. Throws InvalidParameters
  /// where they are not single numbers.
  CodeGrid(std::span<Tensor> inputs, std::size_t index);
};

/// Calls `function.template operator()<T>()` with the type of 8-bit codes; UnsupportedType else.
template <class Function>
void visitByteCodes(ElementType type, const Function& function) {
  if (type == ElementType::UInt8) return function.template operator()<std::uint8_t>();
  if (type == ElementType::Int8) return function.template operator()<std::int8_t>();
  throw Error(ErrorCode::UnsupportedType,
              "the operator takes 8-bit codes, not " + std::string(name(type)) + " elements");
}

}  // namespace quantscope
