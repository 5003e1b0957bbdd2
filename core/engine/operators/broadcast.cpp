#include "engine/operators/broadcast.h"

#include <algorithm>

#include "base/error.h"
#include "engine/operators/memory_order.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

// Channels-last only where an operand that the whole result depends on lies that way: converting
// a small operand is cheap, converting a big one is not.
Layout resultLayout(std::span<const Tensor> operands, const Shape& shape) {
  if (sameInEveryLayout(shape)) return Layout::Plain;
  for (const Tensor& operand : operands) {
    if (operand.layout() == Layout::ChannelsLast && operand.shape() == shape) {
      return Layout::ChannelsLast;
    }
  }
  return Layout::Plain;
}

Shape withLeadingOnes(const Shape& shape, std::size_t rank) {
  Shape result = Shape::filled(rank, 1);
  for (std::size_t i = 0; i < shape.rank(); ++i) result[rank - shape.rank() + i] = shape[i];
  return result;
}

// Elements between neighbours of `operand` along each axis of the result, in its memory's order.
Shape memoryStrides(Tensor& operand, const Shape& shape, Layout layout) {
  if (operand.layout() != layout || operand.shape().rank() != shape.rank()) {
    const Shape padded = withLeadingOnes(operand.shape(), shape.rank());
    operand = toLayout(operand, Layout::Plain);
    if (layout == Layout::ChannelsLast) operand = toLayout(operand.reshaped(padded), layout);
  }
  const Shape extents = memoryShape(withLeadingOnes(operand.shape(), shape.rank()), layout);
  Shape strides = rowMajorStrides(extents);
  for (std::size_t i = 0; i < extents.rank(); ++i) {
    if (extents[i] == 1) strides[i] = 0;
  }
  return strides;
}

using Strides = std::array<Shape, BroadcastPlan::kMaxOperands>;

// Axis `position` continues the last merged one where each operand steps over it without a gap.
bool continues(const BroadcastPlan& plan, const Strides& strides, std::size_t operands,
               std::int64_t extent, std::size_t position) {
  if (plan.axes == 0) return false;
  for (std::size_t k = 0; k < operands; ++k) {
    if (plan.strides[k][plan.axes - 1] != strides[k][position] * extent) return false;
  }
  return true;
}

void appendAxis(BroadcastPlan& plan, const Strides& strides, std::size_t operands,
                std::int64_t extent, std::size_t position) {
  if (continues(plan, strides, operands, extent, position)) {
    plan.extents[plan.axes - 1] *= extent;
  } else {
    plan.extents[plan.axes++] = extent;
  }
  for (std::size_t k = 0; k < operands; ++k) {
    plan.strides[k][plan.axes - 1] = strides[k][position];
  }
}

}  // namespace

BroadcastPlan planBroadcast(std::span<Tensor> operands) {
  BroadcastPlan plan;
  plan.shape = operands[0].shape();
  for (const Tensor& operand : operands.subspan(1)) {
    if (operand.shape() != plan.shape) plan.shape = broadcast(plan.shape, operand.shape());
  }
  plan.layout = resultLayout(operands, plan.shape);
  Strides strides;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    strides[k] = memoryStrides(operands[k], plan.shape, plan.layout);
  }
  const Shape extents = memoryShape(plan.shape, plan.layout);
  for (std::size_t i = 0; i < extents.rank(); ++i) {
    if (extents[i] != 1) appendAxis(plan, strides, operands.size(), extents[i], i);
  }
  if (plan.axes == 0) plan.extents[plan.axes++] = 1;
  return plan;
}

LegacyBroadcast::LegacyBroadcast(const Node& node) {
  if (node.version >= 7 || node.integer("broadcast", 0) == 0 || !node.has("axis")) return;
  m_active = true;
  m_axis = node.integer("axis", 0);
}

void LegacyBroadcast::apply(std::span<Tensor> inputs) const {
  if (!m_active) return;
  const Shape& a = requiredInput(inputs, 0).shape();
  Tensor& b = requiredInput(inputs, 1);
  const std::size_t first = normalizeAxis(m_axis, a.rank());
  Shape aligned = b.shape();
  while (first + aligned.rank() < a.rank()) aligned.append(1);
  b = b.reshaped(aligned);
}

}  // namespace quantscope
