#include "engine/operators/indexing/gather.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/part_loop.h"
#include "engine/operators/indexing/indexing.h"
#include "engine/operators/memory_order.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

Shape gatheredShape(const Shape& shape, const Shape& indexShape, std::size_t axis) {
  Shape result;
  for (std::size_t i = 0; i < axis; ++i) result.append(shape[i]);
  for (const std::int64_t extent : indexShape) result.append(extent);
  for (std::size_t i = axis + 1; i < shape.rank(); ++i) result.append(shape[i]);
  return result;
}

// x as [outer, extent, inner] elements of `bytes` bytes.
struct GatherView {
  std::int64_t outer;
  std::int64_t extent;
  std::int64_t inner;
};

void gatherRuns(const std::byte* source, std::byte* target, const GatherView& view,
                std::size_t bytes, std::span<const std::int64_t> indices) {
  const std::size_t run = bytes * static_cast<std::size_t>(view.inner);
  if (run == 0 || indices.empty()) return;
  const std::size_t grain = std::max<std::size_t>(1, kPieceElements * sizeof(float) / run);
  forEachPiece(static_cast<std::size_t>(view.outer) * indices.size(), grain,
               [&](std::size_t first, std::size_t end) {
                 for (std::size_t i = first; i < end; ++i) {
                   const auto index = static_cast<std::size_t>(indices[i % indices.size()]);
                   const std::size_t row =
                       i / indices.size() * static_cast<std::size_t>(view.extent) + index;
                   std::memcpy(target + i * run, source + row * run, run);
                 }
               });
}

template <class T>
void gatherElements(const T* source, T* target, const GatherView& view,
                    std::span<const std::int64_t> indices) {
  for (std::int64_t i = 0; i < view.outer; ++i, source += view.extent) {
    for (const std::int64_t index : indices) *target++ = source[index];
  }
}

void gatherInto(const Tensor& x, Tensor& result, const GatherView& view,
                std::span<const std::int64_t> indices) {
  const std::size_t bytes = byteSize(x.type());
  if (view.inner != 1) {
    return gatherRuns(x.bytes(), result.mutableBytes(), view, bytes, indices);
  }
  visitRawElements(bytes, [&]<class T>() {
    gatherElements(reinterpret_cast<const T*>(x.bytes()),
                   reinterpret_cast<T*>(result.mutableBytes()), view, indices);
  });
}

std::unique_ptr<Kernel> gather(const Node& node, const Graph& /*graph*/) {
  return makeKernel(
      [axis = node.integer("axis", 0)](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        const Tensor indices = toLayout(requiredInput(inputs, 1), Layout::Plain);
        setOutput(outputs, 0,
                  gathered(x, toIntegers(indices), indices.shape(),
                           normalizeAxis(axis, x.shape().rank())));
      },
      Kernel::InputLayout::Any, true);
}

}  // namespace

void failIndex(std::int64_t index, std::int64_t extent) {
  throw Error(ErrorCode::InvalidData, "the index " + std::to_string(index) +
                                          " is outside an axis of " + std::to_string(extent) +
                                          " elements");
}

Tensor gathered(const Tensor& x, std::span<const std::int64_t> indices, const Shape& indexShape,
                std::size_t axis) {
  // If the axes keep their places, they can keep their order in memory.
  const bool keepsLayout = indexShape.rank() == 1;
  const Tensor source = keepsLayout ? x : toLayout(x, Layout::Plain);
  const Shape shape = memoryShape(source.shape(), source.layout());
  const std::size_t position = memoryPosition(axis, shape.rank(), source.layout());
  const GatherView view{.outer = shape.elementCount(0, position),
                        .extent = shape[position],
                        .inner = shape.elementCount(position + 1, shape.rank())};
  std::vector<std::int64_t> checked(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) {
    checked[i] = checkedIndex(indices[i], view.extent);
  }
  Tensor result(x.type(), gatheredShape(x.shape(), indexShape, axis), source.layout());
  gatherInto(source, result, view, checked);
  return result;
}

void registerGather(OperatorRegistry& registry) {
  registry.add("Gather", {1, 11, 13}, gather);
}

}  // namespace quantscope
