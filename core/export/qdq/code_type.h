#pragma once

#include <string_view>

#include "quant/quant_params.h"
#include "tensor/element_type.h"

namespace quantscope {

/// The storage of a type's codes in QuantizeLinear and DequantizeLinear.
struct CodeType {
  ElementType carrier = ElementType::UInt8;  ///< the elements of codes in memory
  int storedType = 0;                        ///< ONNX's number where Tensor lacks the type, else 0
  std::string_view domain = {};              ///< of the two operators
  /// The codes in use are fewer than the type's: codes need a Clip.
  bool clipped = false;
};

/// How an opset holds codes with a scale: integers, FP8, and ternary and binary as int8. 16 and 4
/// bits are com.microsoft's below opset 21, 2 bits stand in 8.
CodeType codeTypeOf(const QuantParams& params, int opset);

/// The opset that the types of `params` need by themselves: 21 for 4 and 16 bits and for blocks, 19
/// for FP8, else 13.
int neededOpset(const QuantParams& params);

/// The lowest opset that can hold them at all: 21 for blocks, 19 for FP8, else 13.
int lowestOpset(const QuantParams& params);

}  // namespace quantscope
