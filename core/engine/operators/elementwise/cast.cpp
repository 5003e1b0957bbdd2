#include "base/error.h"
#include "engine/operators/convert.h"
#include "engine/operators/data_types.h"
#include "engine/operators/elementwise/elementwise.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

template <class To, class From>
void convertElements(const Tensor& source, Tensor& target) {
  const From* from = source.values<From>().data();
  To* to = target.mutableValues<To>().data();
  const std::size_t count = source.elementCount();
  for (std::size_t i = 0; i < count; ++i) to[i] = converted<To>(from[i]);
}

// Version 1 names the type, later ones give its number.
ElementType castTarget(const Node& node) {
  if (node.version == 1) return elementTypeOfName(node.text("to", ""));
  return elementTypeOfNumber(node.integer("to", 0));
}

std::unique_ptr<Kernel> cast(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [type = castTarget(node)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        setOutput(outputs, 0, convertedTo(requiredInput(inputs, 0), type));
      },
      Kernel::InputLayout::Any, true);
}

std::unique_ptr<Kernel> castLike(const Node& /*node*/, const Graph& /*graph*/) {
  return makeKernel(
      [](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const ElementType type = requiredInput(inputs, 1).type();
        setOutput(outputs, 0, convertedTo(requiredInput(inputs, 0), type));
      },
      Kernel::InputLayout::Any, true);
}

}  // namespace

Tensor convertedTo(const Tensor& tensor, ElementType type) {
  if (tensor.type() == type) return tensor;
  Tensor result(type, tensor.shape(), tensor.layout());
  visitElementType(tensor.type(), [&]<class From>() {
    visitElementType(type, [&]<class To>() { convertElements<To, From>(tensor, result); });
  });
  return result;
}

void registerCast(OperatorRegistry& registry) {
  registry.add("Cast", {1, 6, 9, 13, 19, 21, 23, 24}, cast);
  registry.add("CastLike", {15, 19, 21, 23, 24}, castLike);
}

}  // namespace quantscope
