#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "engine/fusion/element_chain.h"
#include "engine/kernel.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {

/// operation(x) of every element, in x's elements if x is their sole owner.
template <class T, class Operation>
Tensor mapElements(Tensor& x, const Operation& operation) {
  using Out = std::invoke_result_t<const Operation&, T>;
  const std::span<const T> source = x.values<T>();
  const T* from = source.data();
  Tensor result = takeOver(x, ElementTypeOf<Out>::kType);
  Out* to = result.mutableValues<Out>().data();
  const std::size_t count = source.size();
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) to[i] = operation(from[i]);
  return result;
}

/// An operation whose floats a kernel of core/kernels takes: `element()` says which.
template <class Operation>
concept HasElement = requires(const Operation& operation) {
  { operation.element() } -> std::same_as<UnaryElement>;
};

/// An operation with its parameters from the node's attributes.
template <class Operation>
Operation operationOf(const Node& node) {
  if constexpr (std::is_constructible_v<Operation, const Node&>)
    return Operation(node);
  else
    return Operation{};
}

/// A chain of this one operation, in x's elements if x is their sole owner.
inline Tensor mapFloats(Tensor& x, const UnaryElement& element) {
  ElementChain chain(std::move(x));
  chain.append(element);
  return chain.finish();
}

/// The kernel of y = Operation(x) for the element types of a TypeList; any layout.
template <class Types, class Operation>
std::unique_ptr<Kernel> unary(const Node& node, const Graph& /*graph*/) {
  const auto operation = operationOf<Operation>(node);
  const auto run = [operation](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    Tensor& x = requiredInput(inputs, 0);
    if constexpr (HasElement<Operation>) {
      if (x.type() == ElementType::Float32) {
        return setOutput(outputs, 0, mapFloats(x, operation.element()));
      }
    }
    visitTypes(Types{}, x.type(),
               [&]<class T>() { setOutput(outputs, 0, mapElements<T>(x, operation)); });
  };
  if constexpr (HasElement<Operation>) {
    return makeElementwiseKernel(run,
                                 [operation](ElementChain& chain, std::span<Tensor>, std::size_t) {
                                   chain.append(operation.element());
                                   return true;
                                 });
  } else {
    return makeKernel(run, Kernel::InputLayout::Any);
  }
}

}  // namespace quantscope
