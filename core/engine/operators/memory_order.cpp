#include "engine/operators/memory_order.h"

namespace quantscope {

Shape memoryShape(const Shape& shape, Layout layout) {
  Shape result = shape;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    result[memoryPosition(axis, shape.rank(), layout)] = shape[axis];
  }
  return result;
}

bool sameInEveryLayout(const Shape& shape) {
  return shape.rank() < 3 || shape[1] == 1 || shape.elementCount(2, shape.rank()) == 1;
}

Layout commonLayout(std::span<const Tensor> operands) {
  std::size_t plain = 0;
  std::size_t channelsLast = 0;
  for (const Tensor& operand : operands) {
    if (!operand.defined() || sameInEveryLayout(operand.shape())) continue;
    (operand.layout() == Layout::Plain ? plain : channelsLast) += operand.elementCount();
  }
  return channelsLast > plain ? Layout::ChannelsLast : Layout::Plain;
}

}  // namespace quantscope
