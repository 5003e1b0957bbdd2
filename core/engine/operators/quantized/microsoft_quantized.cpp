#include "engine/operators/quantized/microsoft_quantized.h"

#include "engine/operators/operands.h"
#include "engine/operators/quantized/integer_product.h"
#include "engine/operators/quantized/quantized.h"

namespace quantscope {
namespace {

constexpr std::string_view kDomain = "com.microsoft";

}  // namespace

CodeGrid::CodeGrid(std::span<Tensor> inputs, std::size_t index)
    : zeroPoint(ZeroPoints(inputOrUndefined(inputs, index + 1), 1, "a zero point").at(0)) {
  const Tensor& given = requiredInput(inputs, index);
  if (given.elementCount() != 1) {
    throw Error(ErrorCode::InvalidParameters,
                "a scale of shape " + toString(given.shape()) + " is not a single number");
  }
  scale = given.values<float>()[0];
}

void registerMicrosoftQuantized(OperatorRegistry& registry) {
  registry.add("QuantizeLinear", {1}, makeQuantizeLinear, kDomain);
  registry.add("DequantizeLinear", {1}, makeDequantizeLinear, kDomain);
  registerQLinearBinary(registry);
  registerQLinearTables(registry);
  registerQLinearPooling(registry);
  registerQGemm(registry);
  registerIntegerProductsToFloat(registry);
}

}  // namespace quantscope
