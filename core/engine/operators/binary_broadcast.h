#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "tensor/tensor.h"

namespace quantscope {

/// Neighbouring elements of a broadcast operation on two operands: `count` elements of the result,
/// along which an operand advances by one element or, with a stride of 0, stands still.
struct BinaryRow {
  const std::byte* a;
  std::int64_t strideA;
  const std::byte* b;
  std::int64_t strideB;
  std::byte* target;
  std::int64_t count;
};

/// The result of `operands`, two, by the multidirectional broadcasting rule: it has elements of
/// `type`, which `compute` fills row by row, in parts of the item at hand. The result may lie where
/// an operand lay that advances in all rows. Throws InvalidParameters where the shapes do not fit.
Tensor broadcastRows(std::span<Tensor> operands, ElementType type,
                     const std::function<void(const BinaryRow& row)>& compute);

}  // namespace quantscope
