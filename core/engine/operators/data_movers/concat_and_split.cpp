#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/data_movers/data_movers.h"
#include "engine/operators/memory_order.h"
#include "engine/operators/operands.h"
#include "engine/operators/strided_copy.h"

namespace quantscope {
namespace {

using Integers = std::vector<std::int64_t>;

void requireJoinable(const Tensor& first, const Tensor& other, std::size_t axis) {
  Shape expected = first.shape();
  if (other.shape().rank() == expected.rank()) expected[axis] = other.shape()[axis];
  if (other.type() == first.type() && other.shape() == expected) return;
  throw Error(ErrorCode::InvalidParameters,
              "a tensor of " + std::string(name(other.type())) + toString(other.shape()) +
                  " cannot be joined to " + std::string(name(first.type())) +
                  toString(first.shape()) + " along axis " + std::to_string(axis));
}

// The shape of all operands joined along `axis`.
Shape joinedShape(std::span<const Tensor> operands, std::size_t axis) {
  Shape shape = operands[0].shape();
  for (const Tensor& operand : operands.subspan(1)) {
    requireJoinable(operands[0], operand, axis);
    if (__builtin_add_overflow(shape[axis], operand.shape()[axis], &shape[axis])) {
      throw Error(ErrorCode::InvalidParameters, "the joined tensor does not fit into memory");
    }
  }
  return shape;
}

Tensor joined(std::span<Tensor> operands, std::int64_t signedAxis) {
  const std::size_t axis = normalizeAxis(signedAxis, operands[0].shape().rank());
  const Shape shape = joinedShape(operands, axis);
  if (operands.size() == 1) return std::move(operands[0]);
  const Layout layout = commonLayout(operands);
  Tensor result(operands[0].type(), shape, layout);
  Shape place = Shape::filled(shape.rank(), 0);
  for (Tensor& operand : operands) {
    operand = toLayout(operand, layout);
    copyBox(operand, Shape::filled(shape.rank(), 0), result, place, operand.shape());
    place[axis] += operand.shape()[axis];
  }
  return result;
}

std::unique_ptr<Kernel> concat(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [axis = node.integer("axis", 1)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        std::size_t count = 0;
        while (optionalInput(inputs, count) != nullptr) ++count;
        requiredInput(inputs, 0);
        setOutput(outputs, 0, joined(inputs.first(count), axis));
      },
      Kernel::InputLayout::Any, true);
}

// Equal parts; where they do not come out even, the last one is shorter (version 18).
Integers equalParts(std::int64_t extent, std::size_t count, bool uneven) {
  const auto parts = static_cast<std::int64_t>(count);
  const std::int64_t part = (extent + parts - 1) / parts;
  Integers sizes(count, part);
  sizes.back() = extent - part * (parts - 1);
  if (sizes.back() < 0 || (sizes.back() != part && !uneven)) {
    throw Error(ErrorCode::InvalidParameters, "an extent of " + std::to_string(extent) +
                                                  " cannot be split into " + std::to_string(count) +
                                                  " parts");
  }
  return sizes;
}

void requireParts(const Integers& sizes, std::int64_t extent, std::size_t count) {
  std::int64_t rest = extent;
  for (const std::int64_t size : sizes) {
    if (size < 0 || size > rest) rest = -1;
    if (rest >= 0) rest -= size;
  }
  if (rest == 0 && sizes.size() == count) return;
  throw Error(ErrorCode::InvalidParameters, "the sizes of the " + std::to_string(count) +
                                                " parts do not add up to the extent " +
                                                std::to_string(extent) + " that is split");
}

struct SplitSettings {
  explicit SplitSettings(const Node& node)
      : sizes(node, "split", 1), axis(node.integer("axis", 0)), uneven(node.version >= 18) {}
  IntegersOperand sizes;
  std::int64_t axis;
  bool uneven;
};

void splitInto(Tensor& x, std::size_t axis, const Integers& sizes, std::span<Tensor> outputs) {
  if (outputs.size() == 1) {
    outputs[0] = std::move(x);
    return;
  }
  Shape from = Shape::filled(x.shape().rank(), 0);
  Shape extents = x.shape();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    extents[axis] = sizes[i];
    outputs[i] = copyOfBox(x, from, extents);
    from[axis] += sizes[i];
  }
}

std::unique_ptr<Kernel> split(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [settings = SplitSettings(node)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        if (outputs.empty()) return;
        Tensor& x = requiredInput(inputs, 0);
        const std::size_t axis = normalizeAxis(settings.axis, x.shape().rank());
        const std::int64_t extent = x.shape()[axis];
        const auto given = settings.sizes.read(inputs);
        const Integers sizes = given ? *given : equalParts(extent, outputs.size(), settings.uneven);
        requireParts(sizes, extent, outputs.size());
        splitInto(x, axis, sizes, outputs);
      },
      Kernel::InputLayout::Any, true);
}

}  // namespace

void registerConcatAndSplit(OperatorRegistry& registry) {
  registry.add("Concat", {1, 4, 11, 13}, concat);
  registry.add("Split", {1, 2, 11, 13, 18}, split);
}

}  // namespace quantscope
