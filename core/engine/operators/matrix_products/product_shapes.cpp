#include "engine/operators/matrix_products/product_shapes.h"

#include "base/error.h"

namespace quantscope {
namespace {

Shape leadingAxes(const Shape& shape) {
  return Shape(shape.dimensions().first(shape.rank() - 2));
}

// Index of the matrix of an operand that belongs to the matrix `index` of the result.
std::int64_t matrixIndex(const Shape& operand, const Shape& stack, std::int64_t index) {
  std::int64_t result = 0;
  std::int64_t stride = 1;
  const std::size_t axes = operand.rank() - 2;
  for (std::size_t i = 0; i < axes; ++i) {
    const std::int64_t extent = operand[axes - 1 - i];
    const std::int64_t whole = stack[stack.rank() - 1 - i];
    if (extent != 1) result += index % whole * stride;
    stride *= extent;
    index /= whole;
  }
  return result;
}

}  // namespace

ProductShapes productShapes(const Shape& a, const Shape& b) {
  if (a.rank() == 0 || b.rank() == 0) {
    throw Error(ErrorCode::InvalidParameters, "a matrix product does not take scalars");
  }
  ProductShapes shapes;
  shapes.a = a.rank() == 1 ? Shape{1, a[0]} : a;
  shapes.b = b.rank() == 1 ? Shape{b[0], 1} : b;
  shapes.m = shapes.a[shapes.a.rank() - 2];
  shapes.k = shapes.a.back();
  shapes.n = shapes.b.back();
  if (shapes.b[shapes.b.rank() - 2] != shapes.k) {
    throw Error(ErrorCode::InvalidParameters, "matrices of the shapes " + toString(a) + " and " +
                                                  toString(b) + " cannot be multiplied");
  }
  shapes.stack = broadcast(leadingAxes(shapes.a), leadingAxes(shapes.b));
  shapes.matricesOfB = leadingAxes(shapes.b).elementCount();
  shapes.output = shapes.stack;
  if (a.rank() > 1) shapes.output.append(shapes.m);
  if (b.rank() > 1) shapes.output.append(shapes.n);
  return shapes;
}

std::int64_t ProductShapes::matrixOfA(std::int64_t index) const {
  return matrixIndex(a, stack, index);
}

std::int64_t ProductShapes::matrixOfB(std::int64_t index) const {
  return matrixIndex(b, stack, index);
}

}  // namespace quantscope
