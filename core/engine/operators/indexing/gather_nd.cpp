// GatherND and ScatterND: the last axis of `indices` holds coordinates of slices of the data.

#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/operators/indexing/gather.h"
#include "engine/operators/indexing/indexing.h"
#include "engine/operators/indexing/scatter_reduction.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

[[noreturn]] void failIndices(const Shape& indices, const Shape& data) {
  throw Error(ErrorCode::InvalidParameters, "indices of shape " + toString(indices) +
                                                " do not fit data of shape " + toString(data));
}

// The slices of the data that `indices` names, after `batch` axes that both share.
struct SliceList {
  std::vector<std::int64_t> offsets;  ///< the first element of each
  std::int64_t length = 0;            ///< elements of each
  std::size_t depth = 0;              ///< axes of the data that the coordinates fix
};

// Coordinates after the shared axes; throws where the shapes do not fit.
std::size_t coordinateCount(const Shape& indices, const Shape& data, std::size_t batch) {
  if (indices.empty() || indices.back() < 0 || batch >= indices.rank() || batch > data.rank() ||
      indices.back() > static_cast<std::int64_t>(data.rank() - batch)) {
    failIndices(indices, data);
  }
  for (std::size_t i = 0; i < batch; ++i) {
    if (indices[i] != data[i]) failIndices(indices, data);
  }
  return static_cast<std::size_t>(indices.back());
}

// Appends the slices of one item, whose elements start at `base`; `values` holds its coordinates,
// and shape and strides are those of the axes that they fix.
void appendSlices(std::span<const std::int64_t> values, std::span<const std::int64_t> shape,
                  std::span<const std::int64_t> strides, std::int64_t base, std::size_t tuples,
                  std::vector<std::int64_t>& offsets) {
  const std::int64_t* coordinate = values.data();
  for (std::size_t tuple = 0; tuple < tuples; ++tuple) {
    std::int64_t offset = base;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      offset += checkedIndex(*coordinate++, shape[i]) * strides[i];
    }
    offsets.push_back(offset);
  }
}

SliceList listSlices(const Tensor& indices, const Shape& data, std::size_t batch) {
  const Shape& shape = indices.shape();
  const std::size_t coordinates = coordinateCount(shape, data, batch);
  const Shape strides = rowMajorStrides(data);
  const std::vector<std::int64_t> values = toIntegers(indices);
  const auto items = static_cast<std::size_t>(shape.elementCount(0, batch));
  const auto tuples = static_cast<std::size_t>(shape.elementCount(batch, shape.rank() - 1));
  const std::int64_t itemStride = data.elementCount(batch, data.rank());
  SliceList list;
  list.depth = batch + coordinates;
  list.length = data.elementCount(list.depth, data.rank());
  list.offsets.reserve(items * tuples);
  for (std::size_t item = 0; item < items; ++item) {
    const std::size_t perItem = tuples * coordinates;
    appendSlices(std::span(values).subspan(item * perItem, perItem),
                 data.dimensions().subspan(batch, coordinates),
                 strides.dimensions().subspan(batch, coordinates),
                 static_cast<std::int64_t>(item) * itemStride, tuples, list.offsets);
  }
  return list;
}

// indices.shape without the coordinates, then the axes of a slice.
Shape slicesShape(const Shape& indices, const Shape& data, std::size_t depth) {
  Shape shape;
  for (std::size_t i = 0; i + 1 < indices.rank(); ++i) shape.append(indices[i]);
  for (std::size_t i = depth; i < data.rank(); ++i) shape.append(data[i]);
  return shape;
}

Tensor gatherSlices(const Tensor& x, const Tensor& indices, std::size_t batch) {
  const SliceList slices = listSlices(indices, x.shape(), batch);
  Tensor result(x.type(), slicesShape(indices.shape(), x.shape(), slices.depth));
  const std::size_t bytes = byteSize(x.type());
  const std::size_t run = bytes * static_cast<std::size_t>(slices.length);
  std::byte* target = result.mutableBytes();
  for (const std::int64_t offset : slices.offsets) {
    std::memcpy(target, x.bytes() + static_cast<std::size_t>(offset) * bytes, run);
    target += run;
  }
  return result;
}

std::unique_ptr<Kernel> gatherNd(const Node& node, const Graph& /*graph*/) {
  const std::int64_t batch = node.integer("batch_dims", 0);
  if (batch < 0) {
    throw Error(ErrorCode::InvalidModel, "batch_dims is " + std::to_string(batch));
  }
  return makeKernel(
      [batch = static_cast<std::size_t>(batch)](std::span<Tensor> inputs,
                                                std::span<Tensor> outputs) {
        const Tensor& x = requiredInput(inputs, 0);
        setOutput(outputs, 0, gatherSlices(x, requiredInput(inputs, 1), batch));
      },
      Kernel::InputLayout::Plain, true);
}

void scatterSlices(std::span<Tensor> inputs, std::span<Tensor> outputs,
                   ScatterReduction reduction) {
  const Shape shape = requiredInput(inputs, 0).shape();
  const Tensor& indices = requiredInput(inputs, 1);
  const Tensor& updates = requiredInput(inputs, 2);
  const SliceList slices = listSlices(indices, shape, 0);
  if (updates.shape() != slicesShape(indices.shape(), shape, slices.depth)) {
    throw Error(ErrorCode::InvalidParameters, "updates of shape " + toString(updates.shape()) +
                                                  " do not match indices of shape " +
                                                  toString(indices.shape()));
  }
  Tensor result = writableCopy(inputs[0]);
  visitScatter(reduction, result, updates, [&](auto* target, auto* source, auto combine) {
    for (const std::int64_t offset : slices.offsets) {
      for (std::int64_t i = 0; i < slices.length; ++i) combine(target[offset + i], *source++);
    }
  });
  setOutput(outputs, 0, std::move(result));
}

std::unique_ptr<Kernel> scatterNd(const Node& node, const Graph& /*graph*/) {
  const ScatterReduction reduction = scatterReduction(node);
  return makeKernel(
      [reduction](std::span<Tensor> inputs, std::span<Tensor> outputs) {
        scatterSlices(inputs, outputs, reduction);
      },
      Kernel::InputLayout::Plain, reduction == ScatterReduction::Replace);
}

}  // namespace

Tensor writableCopy(Tensor& x) {
  if (x.soleOwner()) return std::move(x);
  Tensor copy(x.type(), x.shape(), x.layout());
  std::memcpy(copy.mutableBytes(), x.bytes(), x.byteSize());
  return copy;
}

void registerGatherNd(OperatorRegistry& registry) {
  registry.add("GatherND", {11, 12, 13}, gatherNd);
  registry.add("ScatterND", {11, 13, 16, 18}, scatterNd);
}

}  // namespace quantscope
