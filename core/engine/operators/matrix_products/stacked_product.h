#pragma once

#include "engine/operators/matrix_products/product_shapes.h"
#include "tensor/tensor.h"

namespace quantscope {

/// y = a · b, matrix by matrix, for numbers of 32 and 64 bits; integers wrap.
/// Throws UnsupportedType for others or where a, b and y differ in type.
void multiplyStacks(const Tensor& a, const Tensor& b, const ProductShapes& shapes, Tensor& y);

}  // namespace quantscope
