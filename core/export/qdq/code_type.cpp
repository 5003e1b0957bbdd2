#include "export/qdq/code_type.h"

#include "onnx/float8_numbers.h"
#include "onnx/four_bit_codes.h"

namespace quantscope {
namespace {

constexpr int kPerAxis = 13;
constexpr int kFloat8 = 19;
constexpr int kBlocks = 21;
constexpr int kFewBits = 21;

bool isFloat8Type(QuantType type) {
  return type == QuantType::Float8E4M3 || type == QuantType::Float8E5M2;
}

bool hasSixteenOrFourBits(QuantType type) {
  return isInteger(type) && (bitWidth(type) == 16 || bitWidth(type) == 4);
}

}  // namespace

CodeType codeTypeOf(const QuantParams& params, int opset) {
  const QuantType type = params.type;
  CodeType code;
  if (isFloat8Type(type)) {
    code.storedType = type == QuantType::Float8E4M3 ? kOnnxFloat8E4M3 : kOnnxFloat8E5M2;
    return code;
  }
  if (isSignCode(type)) {
    code.carrier = ElementType::Int8;
    return code;
  }
  const bool wide = bitWidth(type) == 16;
  code.carrier = isSigned(type) ? (wide ? ElementType::Int16 : ElementType::Int8)
                                : (wide ? ElementType::UInt16 : ElementType::UInt8);
  if (bitWidth(type) == 4) code.storedType = isSigned(type) ? kOnnxInt4 : kOnnxUInt4;
  if (hasSixteenOrFourBits(type) && opset < kFewBits) code.domain = "com.microsoft";
  code.clipped =
      bitWidth(type) == 2 || params.qmin > lowestCode(type) || params.qmax < highestCode(type);
  return code;
}

int neededOpset(const QuantParams& params) {
  return hasSixteenOrFourBits(params.type) ? kFewBits : lowestOpset(params);
}

int lowestOpset(const QuantParams& params) {
  if (params.groupSize > 0) return kBlocks;
  return isFloat8Type(params.type) ? kFloat8 : kPerAxis;
}

}  // namespace quantscope
