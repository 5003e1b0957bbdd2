#pragma once

#include <cstdint>

#include "tensor/shape.h"

namespace quantscope {

/// Two operands of a matrix product, 1-D or stacks of matrices, and the result.
struct ProductShapes {
  Shape a;  ///< as a stack of matrices: at least two axes
  Shape b;
  Shape stack;   ///< the broadcast axes in front
  Shape output;  ///< without the axes that 1-D operands lack
  std::int64_t m, n, k;
  std::int64_t matricesOfB;

  /// The matrix of each operand that belongs to matrix `index` of the result.
  std::int64_t matrixOfA(std::int64_t index) const;
  std::int64_t matrixOfB(std::int64_t index) const;
};

/// Throws InvalidParameters where the shapes do not fit each other.
ProductShapes productShapes(const Shape& a, const Shape& b);

}  // namespace quantscope
