#include <array>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/convert.h"
#include "engine/operators/data_movers/data_movers.h"
#include "engine/operators/operands.h"
#include "engine/operators/strided_copy.h"

namespace quantscope {
namespace {

using Integers = std::vector<std::int64_t>;

Tensor expanded(const Tensor& x, const Shape& wanted) {
  const Shape shape = broadcast(x.shape(), wanted);
  if (shape == x.shape()) return x;
  const std::size_t rank = shape.rank();
  const std::size_t added = rank - x.shape().rank();
  const Shape sourceStrides = rowMajorStrides(x.shape());
  const Shape targetStrides = rowMajorStrides(shape);
  std::array<CopyAxis, Shape::kMaxRank> axes;
  for (std::size_t i = 0; i < rank; ++i) {
    const bool repeats = i < added || x.shape()[i - added] == 1;
    axes[i] = {shape[i], repeats ? 0 : sourceStrides[i - added], targetStrides[i]};
  }
  Tensor result(x.type(), shape);
  stridedCopy(x.bytes(), result.mutableBytes(), byteSize(x.type()), std::span(axes).first(rank));
  return result;
}

std::unique_ptr<Kernel> expand(const Node& /*node*/, const Graph& /*graph*/) {
  return makeKernel(
      [](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        const Integers extents = toIntegers(requiredInput(inputs, 1));
        setOutput(outputs, 0, expanded(x, Shape(std::span<const std::int64_t>(extents))));
      },
      Kernel::InputLayout::Plain, true);
}

Shape tiledShape(const Shape& shape, const Integers& repeats) {
  if (repeats.size() != shape.rank()) {
    throw Error(ErrorCode::InvalidParameters, "a tensor of shape " + toString(shape) +
                                                  " cannot be repeated along " +
                                                  std::to_string(repeats.size()) + " axes");
  }
  Shape result = shape;
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] < 0 || __builtin_mul_overflow(shape[i], repeats[i], &result[i])) {
      throw Error(ErrorCode::InvalidParameters,
                  "a tensor cannot be repeated " + std::to_string(repeats[i]) + " times");
    }
  }
  return result;
}

Tensor tiled(const Tensor& x, const Integers& repeats) {
  const Shape shape = tiledShape(x.shape(), repeats);
  if (shape == x.shape()) return x;
  const std::size_t rank = shape.rank();
  const Shape sourceStrides = rowMajorStrides(x.shape());
  const Shape targetStrides = rowMajorStrides(shape);
  std::array<CopyAxis, kMaxCopyAxes> axes;
  for (std::size_t i = 0; i < rank; ++i) {
    axes[2 * i] = {repeats[i], 0, x.shape()[i] * targetStrides[i]};
    axes[2 * i + 1] = {x.shape()[i], sourceStrides[i], targetStrides[i]};
  }
  Tensor result(x.type(), shape);
  stridedCopy(x.bytes(), result.mutableBytes(), byteSize(x.type()),
              std::span(axes).first(2 * rank));
  return result;
}

// Version 1 repeats along one axis; its two further inputs may be of any number type.
Integers repeatsAlongAxis(std::span<Tensor> inputs) {
  const auto integer = [&](std::size_t index) {
    return onlyInteger(convertedTo(requiredInput(inputs, index), ElementType::Int64));
  };
  const std::size_t rank = inputs[0].shape().rank();
  Integers repeats(rank, 1);
  repeats[normalizeAxis(integer(2), rank)] = integer(1);
  return repeats;
}

std::unique_ptr<Kernel> tile(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [alongAxis = node.version == 1](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        const Integers repeats =
            alongAxis ? repeatsAlongAxis(inputs) : toIntegers(requiredInput(inputs, 1));
        setOutput(outputs, 0, tiled(x, repeats));
      },
      Kernel::InputLayout::Plain, true);
}

}  // namespace

void registerRepetition(OperatorRegistry& registry) {
  registry.add("Expand", {8, 13}, expand);
  registry.add("Tile", {1, 6, 13}, tile);
}

}  // namespace quantscope
