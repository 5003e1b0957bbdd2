// With b the block size, DepthToSpace moves channels into blocks of b × b positions:
//   y[n, c, h·b + i, w·b + j] = x[n, (i·b + j)·C + c, h, w]   (DCR: depth, column, row)
//   y[n, c, h·b + i, w·b + j] = x[n, (c·b + i)·b + j, h, w]   (CRD: column, row, depth)
// with C channels of y; SpaceToDepth is the inverse of the first.

#include <array>
#include <string>

#include "base/error.h"
#include "engine/operators/data_movers/data_movers.h"
#include "engine/operators/memory_order.h"
#include "engine/operators/operands.h"
#include "engine/operators/strided_copy.h"

namespace quantscope {
namespace {

std::int64_t blockSize(const Node& node) {
  const std::int64_t block = node.integer("blocksize", 0);
  // Above this the square of the block has no integer; no tensor has that many channels.
  constexpr std::int64_t kLargest = 1 << 30;
  if (block >= 1 && block <= kLargest) return block;
  throw Error(ErrorCode::InvalidModel,
              "the block size " + std::to_string(block) + " is not a positive number");
}

void requireImages(const Shape& shape, bool divides) {
  if (shape.rank() == 4 && divides) return;
  throw Error(ErrorCode::InvalidParameters,
              "the shape " + toString(shape) + " cannot be cut into blocks of this size");
}

// Elements between neighbours along the logical axes [N, C, H, W].
Shape logicalStrides(const Tensor& x) {
  const Shape strides = rowMajorStrides(memoryShape(x.shape(), x.layout()));
  Shape result = strides;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    result[axis] = strides[memoryPosition(axis, 4, x.layout())];
  }
  return result;
}

// The strides of the deep side's channels: the elements between neighbours of c, i and j.
struct DepthStrides {
  std::int64_t channel;
  std::int64_t row;
  std::int64_t column;
};

DepthStrides depthStrides(std::int64_t block, std::int64_t channels, bool columnRowDepth) {
  if (columnRowDepth) return {.channel = block * block, .row = block, .column = 1};
  return {.channel = 1, .row = block * channels, .column = channels};
}

// Axes n, c, h, i, w, j with the strides of the deep and of the wide side.
struct BlockAxes {
  std::array<std::int64_t, 6> extents;
  std::array<std::int64_t, 6> deep;
  std::array<std::int64_t, 6> wide;
};

BlockAxes blockAxes(const Tensor& deep, const Tensor& wide, std::int64_t block,
                    const DepthStrides& depth) {
  const Shape d = logicalStrides(deep);
  const Shape w = logicalStrides(wide);
  const Shape& shape = deep.shape();
  return {.extents = {shape[0], wide.shape()[1], shape[2], block, shape[3], block},
          .deep = {d[0], depth.channel * d[1], d[2], depth.row * d[1], d[3], depth.column * d[1]},
          .wide = {w[0], w[1], block * w[2], w[2], block * w[3], w[3]}};
}

Tensor depthToSpace(const Tensor& x, std::int64_t block, bool columnRowDepth) {
  const Shape& shape = x.shape();
  requireImages(shape, shape.rank() == 4 && shape[1] % (block * block) == 0);
  const std::int64_t channels = shape[1] / (block * block);
  Tensor y(x.type(),
           {shape[0], channels, checkedProduct(shape[2], block), checkedProduct(shape[3], block)},
           x.layout());
  const BlockAxes axes = blockAxes(x, y, block, depthStrides(block, channels, columnRowDepth));
  constexpr std::array kPlain = {0, 1, 2, 3, 4, 5};
  constexpr std::array kChannelsLast = {0, 2, 3, 4, 5, 1};
  std::array<CopyAxis, 6> copy;
  for (std::size_t i = 0; i < copy.size(); ++i) {
    const auto axis =
        static_cast<std::size_t>(x.layout() == Layout::Plain ? kPlain[i] : kChannelsLast[i]);
    copy[i] = {axes.extents[axis], axes.deep[axis], axes.wide[axis]};
  }
  stridedCopy(x.bytes(), y.mutableBytes(), byteSize(x.type()), copy);
  return y;
}

Tensor spaceToDepth(const Tensor& x, std::int64_t block) {
  const Shape& shape = x.shape();
  requireImages(shape, shape.rank() == 4 && shape[2] % block == 0 && shape[3] % block == 0);
  Tensor y(x.type(),
           {shape[0], checkedProduct(shape[1], block * block), shape[2] / block, shape[3] / block},
           x.layout());
  const BlockAxes axes = blockAxes(y, x, block, depthStrides(block, shape[1], false));
  constexpr std::array kPlain = {0, 3, 5, 1, 2, 4};
  constexpr std::array kChannelsLast = {0, 2, 4, 3, 5, 1};
  std::array<CopyAxis, 6> copy;
  for (std::size_t i = 0; i < copy.size(); ++i) {
    const auto axis =
        static_cast<std::size_t>(x.layout() == Layout::Plain ? kPlain[i] : kChannelsLast[i]);
    copy[i] = {axes.extents[axis], axes.wide[axis], axes.deep[axis]};
  }
  stridedCopy(x.bytes(), y.mutableBytes(), byteSize(x.type()), copy);
  return y;
}

std::unique_ptr<Kernel> depthToSpaceKernel(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [block = blockSize(node), columnRowDepth = node.text("mode", "DCR") == "CRD"](
          std::span<Tensor> inputs, std::span<Tensor> outputs) {
        setOutput(outputs, 0, depthToSpace(requiredInput(inputs, 0), block, columnRowDepth));
      },
      Kernel::InputLayout::Any, true);
}

std::unique_ptr<Kernel> spaceToDepthKernel(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [block = blockSize(node)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        setOutput(outputs, 0, spaceToDepth(requiredInput(inputs, 0), block));
      },
      Kernel::InputLayout::Any, true);
}

}  // namespace

void registerDepthAndSpace(OperatorRegistry& registry) {
  registry.add("DepthToSpace", {1, 11, 13}, depthToSpaceKernel);
  registry.add("SpaceToDepth", {1, 13}, spaceToDepthKernel);
}

}  // namespace quantscope
