#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "base/part_loop.h"
#include "engine/fusion/element_chain.h"
#include "engine/kernel.h"
#include "engine/operators/broadcast.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {

/// target[i] = operation(a[i], b[i]), where an operand of stride 0 stands still. `target` may be an
/// operand that advances.
template <class A, class B, class Out, class Operation>
void binaryRow(const A* a, std::int64_t strideA, const B* b, std::int64_t strideB, Out* target,
               std::int64_t count, const Operation& operation) {
  if (strideA != 0 && strideB != 0) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) target[i] = operation(a[i], b[i]);
  } else if (strideA != 0) {
    const B right = *b;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) target[i] = operation(a[i], right);
  } else {
    const A left = *a;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) target[i] = operation(left, b[i]);
  }
}

/// The elements that a broadcast operation writes to: those of an operand that has the result's
/// shape, layout and type and is their sole owner, else new ones.
template <class Out>
Tensor broadcastTarget(std::span<Tensor> operands, const BroadcastPlan& plan) {
  for (Tensor& operand : operands) {
    if (operand.type() == ElementTypeOf<Out>::kType && operand.shape() == plan.shape &&
        operand.layout() == plan.layout && operand.soleOwner()) {
      return std::move(operand);
    }
  }
  return {ElementTypeOf<Out>::kType, plan.shape, plan.layout};
}

/// operation(a, b) by the multidirectional broadcasting rule; operands hold A and B.
template <class A, class B, class Operation>
Tensor binaryBroadcast(std::span<Tensor> operands, const Operation& operation) {
  using Out = std::invoke_result_t<const Operation&, A, B>;
  if (operands[0].elementCount() == 1 && operands[1].elementCount() == 1 &&
      operands[0].shape() == operands[1].shape()) {
    const Out result = operation(operands[0].values<A>()[0], operands[1].values<B>()[0]);
    return Tensor::of(operands[0].shape(), {result});
  }
  const BroadcastPlan plan = planBroadcast(operands);
  const A* a = operands[0].values<A>().data();
  const B* b = operands[1].values<B>().data();
  Tensor result = broadcastTarget<Out>(operands, plan);
  Out* target = result.mutableValues<Out>().data();
  const std::int64_t strideA = plan.strides[0][plan.axes - 1];
  const std::int64_t strideB = plan.strides[1][plan.axes - 1];
  forEachRow(plan, [&](const auto& offsets, std::int64_t offset, std::int64_t count) {
    forEachPiece(static_cast<std::size_t>(count), kPieceElements,
                 [&](std::size_t first, std::size_t end) {
                   const auto start = static_cast<std::int64_t>(first);
                   binaryRow(a + offsets[0] + start * strideA, strideA,
                             b + offsets[1] + start * strideB, strideB, target + offset + start,
                             static_cast<std::int64_t>(end - first), operation);
                 });
  });
  return result;
}

/// An operation whose floats a kernel of core/kernels takes, seen from its first or second operand.
template <class Operation>
concept HasBinaryElement = requires {
  { Operation::kFromFirst } -> std::convertible_to<BinaryElement>;
  { Operation::kFromSecond } -> std::convertible_to<BinaryElement>;
};

/// operation(a, b) of floats whose operand `chained` has the result's shape and layout; else false,
/// and nothing happens.
template <class Operation>
bool appendBinary(ElementChain& chain, std::span<Tensor> inputs, std::size_t chained) {
  const Tensor& operand = requiredInput(inputs, 1 - chained);
  return chain.append(chained == 0 ? Operation::kFromFirst : Operation::kFromSecond, operand);
}

/// The kernel of Operation(a, b) for the element types of a TypeList; any layout. Obeys the
/// broadcasting attributes of the versions before 7.
template <class Types, class Operation>
std::unique_ptr<Kernel> binary(const Node& node, const Graph& /*graph*/) {
  const LegacyBroadcast legacy(node);
  const auto run = [legacy](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const ElementType type = requiredInput(inputs, 0).type();
    requiredInput(inputs, 1);
    legacy.apply(inputs);
    visitTypes(Types{}, type, [&]<class T>() {
      setOutput(outputs, 0, binaryBroadcast<T, T>(inputs.first(2), Operation{}));
    });
  };
  if constexpr (HasBinaryElement<Operation>) {
    if (!legacy.active()) return makeElementwiseKernel(run, appendBinary<Operation>);
  }
  return makeKernel(run, Kernel::InputLayout::Any);
}

}  // namespace quantscope
