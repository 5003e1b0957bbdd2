#include "engine/operators/matrix_products/matrix_products.h"

#include "engine/operator_registry.h"

namespace quantscope {

void registerMatrixProducts(OperatorRegistry& registry) {
  registry.add("MatMul", {1, 9, 13}, makeMatMul);
  registry.add("Gemm", {1, 6, 7, 9, 11, 13}, makeGemm);
  registry.add("Einsum", {12}, makeEinsum);
  registry.add("Det", {11, 22}, makeDeterminant);
}

}  // namespace quantscope
