#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "engine/operator_registry.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

using Integers = std::vector<std::int64_t>;

// The extents of axes [start, end); both count from the end where they are negative and are cut
// off at the ends (version 15).
std::unique_ptr<Kernel> shapeOf(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [start = node.integer("start", 0),
       end = node.integer("end", std::numeric_limits<std::int64_t>::max())](
          std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Shape& shape = requiredInput(inputs, 0).shape();
        const auto rank = static_cast<std::int64_t>(shape.rank());
        const auto inside = [rank](std::int64_t axis) {
          return static_cast<std::size_t>(
              std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank));
        };
        const std::size_t first = inside(start);
        const std::size_t count = std::max(first, inside(end)) - first;
        setOutput(outputs, 0,
                  Tensor::of(Shape{static_cast<std::int64_t>(count)},
                             shape.dimensions().subspan(first, count)));
      },
      Kernel::InputLayout::Any, true);
}

std::unique_ptr<Kernel> sizeOf(const Node& /*node*/, const Graph& /*graph*/) {
  return makeKernel(
      [](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const auto count = static_cast<std::int64_t>(requiredInput(inputs, 0).elementCount());
        setOutput(outputs, 0, Tensor::scalar(count));
      },
      Kernel::InputLayout::Any, true);
}

Tensor filled(const Shape& shape, const Tensor& value) {
  Tensor result(value.type(), shape);
  visitRawElements(byteSize(value.type()), [&]<class T>() {
    T element;
    std::memcpy(&element, value.bytes(), sizeof(T));
    std::fill_n(reinterpret_cast<T*>(result.mutableBytes()), result.elementCount(), element);
  });
  return result;
}

template <class T>
const T* attributeData(const Node& node, std::string_view name) {
  const Attribute* attribute = node.find(name);
  return attribute == nullptr ? nullptr : std::get_if<T>(&attribute->data);
}

std::unique_ptr<Kernel> constantOfShape(const Node& node, const Graph& /*graph*/) {
  const Tensor* given = attributeData<Tensor>(node, "value");
  const Tensor value = given == nullptr ? Tensor::scalar(0.0F) : *given;
  if (!value.defined() || value.elementCount() != 1) {
    throw Error(ErrorCode::InvalidModel, "the value of a ConstantOfShape is not one element");
  }
  return makeKernel(
      [value](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Integers extents = toIntegers(requiredInput(inputs, 0));
        setOutput(outputs, 0, filled(Shape(std::span<const std::int64_t>(extents)), value));
      },
      Kernel::InputLayout::Plain, true);
}

template <class T>
Tensor vectorOf(const std::vector<T>& values) {
  return Tensor::of(Shape{static_cast<std::int64_t>(values.size())}, std::span<const T>(values));
}

// Exactly one of the attributes stands there; strings are not tensors here.
Tensor constantValue(const Node& node) {
  if (const auto* value = attributeData<Tensor>(node, "value"); value && value->defined()) {
    return *value;
  }
  if (const auto* value = attributeData<float>(node, "value_float")) return Tensor::scalar(*value);
  if (const auto* value = attributeData<std::int64_t>(node, "value_int")) {
    return Tensor::scalar(*value);
  }
  if (const auto* value = attributeData<std::vector<float>>(node, "value_floats")) {
    return vectorOf(*value);
  }
  if (const auto* value = attributeData<Integers>(node, "value_ints")) return vectorOf(*value);
  throw Error(ErrorCode::UnsupportedOperation, "the constant holds something else than numbers");
}

std::unique_ptr<Kernel> constant(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [value = constantValue(node)](std::span<Tensor> /*inputs*/, std::span<Tensor> outputs) {
        setOutput(outputs, 0, value);
      },
      Kernel::InputLayout::Any, true);
}

[[noreturn]] void failRange() {
  throw Error(ErrorCode::InvalidParameters, "the range has no end or too many elements");
}

// ⌈(limit − start) / delta⌉, 0 where the limit lies behind the start.
template <class T>
std::int64_t rangeCount(T start, T limit, T delta) {
  if (delta == 0) failRange();
  if constexpr (std::is_floating_point_v<T>) {
    const double count = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) /
                                   static_cast<double>(delta));
    if (!(count < 9e18)) failRange();
    return static_cast<std::int64_t>(std::max(count, 0.0));
  } else {
    if (delta > 0 ? start >= limit : start <= limit) return 0;
    const auto low = static_cast<std::uint64_t>(delta > 0 ? start : limit);
    const auto high = static_cast<std::uint64_t>(delta > 0 ? limit : start);
    const auto step = static_cast<std::uint64_t>(delta);
    const std::uint64_t count = (high - low - 1) / (delta > 0 ? step : 0 - step) + 1;
    if (count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) failRange();
    return static_cast<std::int64_t>(count);
  }
}

template <class T>
Tensor rangeOf(std::span<Tensor> inputs) {
  const auto operand = [&](std::size_t index) {
    const Tensor& tensor = requiredInput(inputs, index);
    if (tensor.elementCount() != 1) failRange();
    return tensor.values<T>()[0];
  };
  const T start = operand(0);
  const T delta = operand(2);
  const std::int64_t count = rangeCount(start, operand(1), delta);
  Tensor result(ElementTypeOf<T>::kType, {count});
  const std::span<T> values = result.mutableValues<T>();
  // Unsigned twins: the distance from the start may be more than a signed integer holds.
  using Number = std::conditional_t<std::is_integral_v<T>, std::uint64_t, T>;
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<T>(static_cast<Number>(start) +
                               static_cast<Number>(i) * static_cast<Number>(delta));
  }
  return result;
}

using RangeTypes = TypeList<float, double, std::int16_t, std::int32_t, std::int64_t>;

std::unique_ptr<Kernel> range(const Node& /*node*/, const Graph& /*graph*/) {
  return makeKernel([](std::span<Tensor> inputs, std::span<Tensor> outputs) {
    visitTypes(RangeTypes{}, requiredInput(inputs, 0).type(),
               [&]<class T>() { setOutput(outputs, 0, rangeOf<T>(inputs)); });
  });
}

}  // namespace

void registerShapes(OperatorRegistry& registry) {
  registry.add("Shape", {1, 13, 15, 19, 21, 23, 24}, shapeOf);
  registry.add("Size", {1, 13, 19, 21, 23, 24}, sizeOf);
  registry.add("ConstantOfShape", {9, 20, 21, 23, 24}, constantOfShape);
  registry.add("Constant", {1, 9, 11, 12, 13, 19, 21, 23, 24}, constant);
  registry.add("Range", {11}, range);
}

}  // namespace quantscope
