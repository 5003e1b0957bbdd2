#include "engine/operators/quantized/quantized.h"

#include "engine/operator_registry.h"
#include "engine/training_quantizer.h"

namespace quantscope {

void registerQuantized(OperatorRegistry& registry) {
  registry.add("QuantizeLinear", {10, 13, 19, 21, 23, 24}, makeQuantizeLinear);
  registry.add("DequantizeLinear", {10, 13, 19, 21, 23, 24}, makeDequantizeLinear);
  registry.add("DynamicQuantizeLinear", {11}, makeDynamicQuantizeLinear);
  registry.add("MatMulInteger", {10}, makeMatMulInteger);
  registry.add("ConvInteger", {10}, makeConvInteger);
  registry.add("QLinearMatMul", {10, 21}, makeQLinearMatMul);
  registry.add("QLinearConv", {10}, makeQLinearConv);
  registry.add(TrainingQuantizer::kOperator, {TrainingQuantizer::kVersion}, makeFakeQuantize,
               TrainingQuantizer::kDomain);
}

}  // namespace quantscope
