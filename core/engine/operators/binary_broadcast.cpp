#include "engine/operators/binary_broadcast.h"

#include <algorithm>
#include <utility>

#include "base/part_loop.h"
#include "engine/operators/broadcast.h"

namespace quantscope {
namespace {

// The elements of an operand that has the result's shape, layout and type and is their sole owner,
// else new ones.
Tensor targetFor(std::span<Tensor> operands, const BroadcastPlan& plan, ElementType type) {
  const auto fits = [&](const Tensor& operand) {
    return operand.type() == type && operand.shape() == plan.shape &&
           operand.layout() == plan.layout && operand.soleOwner();
  };
  const auto own = std::ranges::find_if(operands, fits);
  return own == operands.end() ? Tensor(type, plan.shape, plan.layout) : std::move(*own);
}

}  // namespace

Tensor broadcastRows(std::span<Tensor> operands, ElementType type,
                     const std::function<void(const BinaryRow& row)>& compute) {
  const BroadcastPlan plan = planBroadcast(operands);
  const auto sizeA = static_cast<std::int64_t>(byteSize(operands[0].type()));
  const auto sizeB = static_cast<std::int64_t>(byteSize(operands[1].type()));
  const auto size = static_cast<std::int64_t>(byteSize(type));
  const std::byte* const a = operands[0].bytes();
  const std::byte* const b = operands[1].bytes();
  Tensor result = targetFor(operands, plan, type);
  std::byte* const target = result.mutableBytes();
  const std::int64_t strideA = plan.strides[0][plan.axes - 1];
  const std::int64_t strideB = plan.strides[1][plan.axes - 1];
  forEachRow(plan, [&](const auto& offsets, std::int64_t offset, std::int64_t count) {
    forEachPiece(static_cast<std::size_t>(count), kPieceElements,
                 [&](std::size_t first, std::size_t end) {
                   const auto start = static_cast<std::int64_t>(first);
                   compute({.a = a + (offsets[0] + start * strideA) * sizeA,
                            .strideA = strideA,
                            .b = b + (offsets[1] + start * strideB) * sizeB,
                            .strideB = strideB,
                            .target = target + (offset + start) * size,
                            .count = static_cast<std::int64_t>(end - first)});
                 });
  });
  return result;
}

}  // namespace quantscope
