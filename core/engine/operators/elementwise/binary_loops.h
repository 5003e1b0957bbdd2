#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "engine/fusion/element_chain.h"
#include "engine/kernel.h"
#include "engine/operators/binary_broadcast.h"
#include "engine/operators/broadcast.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {

/// Element types of large values, for which loops are worth a vector unit. The others are met in
/// shapes, indices and masks, and take one loop for all strides: each of these loops is compiled
/// for some thirty operations.
template <class T>
inline constexpr bool kLargeValues = std::is_same_v<T, float> || std::is_same_v<T, double> ||
                                     std::is_same_v<T, std::int64_t> || std::is_same_v<T, bool>;

/// target[i] = operation(a[i], b[i]), where an operand of stride 0 stands still. `target` may be an
/// operand that advances.
template <class A, class B, class Out, class Operation>
void binaryRow(const BinaryRow& row, const Operation& operation) {
  const auto* const a = reinterpret_cast<const A*>(row.a);
  const auto* const b = reinterpret_cast<const B*>(row.b);
  auto* const target = reinterpret_cast<Out*>(row.target);
  const std::int64_t count = row.count;
  if constexpr (!kLargeValues<A> || !kLargeValues<B>) {
#pragma GCC unroll 0
    for (std::int64_t i = 0; i < count; ++i) {
      target[i] = operation(a[i * row.strideA], b[i * row.strideB]);
    }
  } else if (row.strideA != 0 && row.strideB != 0) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) target[i] = operation(a[i], b[i]);
  } else if (row.strideA != 0) {
    const B right = *b;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) target[i] = operation(a[i], right);
  } else {
    const A left = *a;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) target[i] = operation(left, b[i]);
  }
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
  return broadcastRows(operands, ElementTypeOf<Out>::kType,
                       [&](const BinaryRow& row) { binaryRow<A, B, Out>(row, operation); });
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
