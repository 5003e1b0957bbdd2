#include "engine/axis_slices.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "base/error.h"

namespace quantscope {
namespace {

Tensor emptyStack(std::int64_t axis, const ValueType& type) {
  // An unknown shape has at least the axes in front of the new one; nothing else is certain.
  const auto before = static_cast<std::size_t>(axis < 0 ? -(axis + 1) : axis);
  Shape item = Shape::filled(std::min(before, Shape::kMaxRank - 1), 0);
  if (type.shape) {
    item = Shape();
    for (const Dimension& dimension : *type.shape) {
      item.append(std::max<std::int64_t>(dimension.extent, 0));
    }
  }
  const Shape shape = withAxis(item, normalizeAxis(axis, item.rank() + 1), 0);
  return Tensor::zeros(type.element.value_or(ElementType::Float32), shape);
}

void requireSame(const Tensor& item, const Tensor& first) {
  if (item.shape() == first.shape() && item.type() == first.type()) return;
  const auto text = [](const Tensor& tensor) {
    return std::string(name(tensor.type())) + toString(tensor.shape());
  };
  throw Error(ErrorCode::InvalidModel,
              "a value that is collected over the runs of a body changes "
              "from " +
                  text(first) + " to " + text(item));
}

}  // namespace

Shape withAxis(const Shape& shape, std::size_t axis, std::int64_t extent) {
  Shape result;
  for (std::size_t i = 0; i <= shape.rank(); ++i) {
    if (i == axis) result.append(extent);
    if (i < shape.rank()) result.append(shape[i]);
  }
  return result;
}

Tensor sliceAt(const Tensor& tensor, std::size_t axis, std::int64_t index) {
  const Shape& shape = tensor.shape();
  Shape rest;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i != axis) rest.append(shape[i]);
  }
  Tensor result(tensor.type(), rest);
  const auto outer = static_cast<std::size_t>(shape.elementCount(0, axis));
  const std::size_t bytes = static_cast<std::size_t>(shape.elementCount(axis + 1, shape.rank())) *
                            byteSize(tensor.type());
  const std::size_t stride = static_cast<std::size_t>(shape[axis]) * bytes;
  const std::byte* from = tensor.bytes() + static_cast<std::size_t>(index) * bytes;
  for (std::size_t i = 0; i < outer && bytes > 0; ++i) {
    std::memcpy(result.mutableBytes() + i * bytes, from + i * stride, bytes);
  }
  return result;
}

Tensor stackOnAxis(std::span<const Tensor> items, std::int64_t axis, const ValueType& type) {
  if (items.empty()) return emptyStack(axis, type);
  const Tensor& first = items.front();
  const std::size_t place = normalizeAxis(axis, first.shape().rank() + 1);
  Tensor result(first.type(),
                withAxis(first.shape(), place, static_cast<std::int64_t>(items.size())));
  const auto outer = static_cast<std::size_t>(first.shape().elementCount(0, place));
  const std::size_t bytes = outer == 0 ? 0 : first.byteSize() / outer;
  std::byte* to = result.mutableBytes();
  for (std::size_t i = 0; i < items.size(); ++i) {
    requireSame(items[i], first);
    for (std::size_t o = 0; o < outer && bytes > 0; ++o) {
      std::memcpy(to + (o * items.size() + i) * bytes, items[i].bytes() + o * bytes, bytes);
    }
  }
  return result;
}

}  // namespace quantscope
