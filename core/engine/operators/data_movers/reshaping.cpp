#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/data_movers/data_movers.h"
#include "engine/operators/data_movers/transpose.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

using Integers = std::vector<std::int64_t>;

std::string toText(const Integers& values) {
  std::string text = "[";
  for (const std::int64_t value : values) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  }
  return text + "]";
}

[[noreturn]] void failReshape(const Shape& from, const Integers& to) {
  throw Error(ErrorCode::InvalidParameters,
              "a tensor of shape " + toString(from) + " cannot take the shape " + toText(to));
}

// 0 copies an extent of the input (unless it is allowed to mean zero), −1 takes the remaining
// elements.
Shape reshapeTarget(const Shape& from, const Integers& to, bool allowZero) {
  Shape target;
  std::int64_t* inferred = nullptr;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const bool copies = to[i] == 0 && !allowZero;
    if (copies && i >= from.rank()) failReshape(from, to);
    if (to[i] < -1 || (to[i] == -1 && inferred != nullptr)) failReshape(from, to);
    target.append(copies ? from[i] : (to[i] == -1 ? 1 : to[i]));
    if (to[i] == -1) inferred = &target[i];
  }
  const std::int64_t known = target.elementCount();
  if (inferred != nullptr) {
    if (known == 0 || from.elementCount() % known != 0) failReshape(from, to);
    *inferred = from.elementCount() / known;
  } else if (known != from.elementCount()) {
    failReshape(from, to);
  }
  return target;
}

std::unique_ptr<Kernel> reshape(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [shape = IntegersOperand(node, "shape", 1), allowZero = node.integer("allowzero", 0) != 0](
          std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        const Integers to = shape.read(inputs).value_or(Integers{});
        setOutput(outputs, 0, x.reshaped(reshapeTarget(x.shape(), to, allowZero)));
      },
      Kernel::InputLayout::Plain, true);
}

// [d0 · … · d(axis−1), d(axis) · …]; the axis may stand behind the last one.
std::unique_ptr<Kernel> flatten(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [axis = node.integer("axis", 1)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        const Shape& shape = x.shape();
        const std::size_t rank = shape.rank();
        const std::size_t split =
            axis == static_cast<std::int64_t>(rank) ? rank : normalizeAxis(axis, rank);
        setOutput(outputs, 0,
                  x.reshaped({shape.elementCount(0, split), shape.elementCount(split, rank)}));
      },
      Kernel::InputLayout::Plain, true);
}

using AxisSet = std::array<bool, Shape::kMaxRank>;

AxisSet axisSet(const Integers& axes, std::size_t rank) {
  AxisSet set{};
  for (const std::int64_t axis : axes) {
    bool& member = set[normalizeAxis(axis, rank)];
    if (member) {
      throw Error(ErrorCode::InvalidParameters,
                  "the axis " + std::to_string(axis) + " stands twice in " + toText(axes));
    }
    member = true;
  }
  return set;
}

Shape squeezedShape(const Shape& shape, const std::optional<Integers>& axes) {
  const AxisSet chosen = axisSet(axes.value_or(Integers{}), shape.rank());
  Shape result;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (chosen[i] && shape[i] != 1) {
      throw Error(ErrorCode::InvalidParameters, "axis " + std::to_string(i) + " of the shape " +
                                                    toString(shape) + " cannot be squeezed");
    }
    if (axes ? !chosen[i] : shape[i] != 1) result.append(shape[i]);
  }
  return result;
}

std::unique_ptr<Kernel> squeeze(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [axes = IntegersOperand(node, "axes", 1)](std::span<Tensor> inputs,
                                                std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        setOutput(outputs, 0, withUnitAxes(x, squeezedShape(x.shape(), axes.read(inputs))));
      },
      Kernel::InputLayout::Any, true);
}

Shape unsqueezedShape(const Shape& shape, const Integers& axes) {
  const std::size_t rank = shape.rank() + axes.size();
  if (rank > Shape::kMaxRank) {
    throw Error(ErrorCode::InvalidParameters,
                "a tensor of " + std::to_string(rank) + " axes is not supported");
  }
  const AxisSet added = axisSet(axes, rank);
  Shape result;
  for (std::size_t i = 0, next = 0; i < rank; ++i) result.append(added[i] ? 1 : shape[next++]);
  return result;
}

std::unique_ptr<Kernel> unsqueeze(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [axes = IntegersOperand(node, "axes", 1)](std::span<Tensor> inputs,
                                                std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        const Integers added = axes.read(inputs).value_or(Integers{});
        setOutput(outputs, 0, withUnitAxes(x, unsqueezedShape(x.shape(), added)));
      },
      Kernel::InputLayout::Any, true);
}

}  // namespace

void registerReshaping(OperatorRegistry& registry) {
  registry.add("Reshape", {1, 5, 13, 14, 19, 21, 23, 24}, reshape);
  registry.add("Flatten", {1, 9, 11, 13, 21, 23, 24}, flatten);
  registry.add("Squeeze", {1, 11, 13, 21, 23, 24}, squeeze);
  registry.add("Unsqueeze", {1, 11, 13, 21, 23, 24}, unsqueeze);
}

}  // namespace quantscope
