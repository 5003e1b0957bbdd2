#include "engine/gradients/cotangents.h"

#include <vector>

#include "base/error.h"

namespace quantscope {
namespace {

// The distance in the target between neighbours along each axis of x; 0 along summed ones.
Shape targetStrides(const Shape& x, const Shape& target) {
  const Shape strides = rowMajorStrides(target);
  Shape result = Shape::filled(x.rank(), 0);
  for (std::size_t i = 0; i < target.rank(); ++i) {
    const std::size_t axis = x.rank() - target.rank() + i;
    if (target[i] != 1 || x[axis] == 1) result[axis] = strides[i];
  }
  return result;
}

// Adds x, row by row along its last axis, to what belongs to it.
template <class T>
Tensor summed(const Tensor& x, const Shape& shape) {
  std::vector<double> sums(static_cast<std::size_t>(shape.elementCount()));
  const Shape strides = targetStrides(x.shape(), shape);
  const std::size_t last = x.shape().rank() - 1;
  const std::int64_t count = x.shape()[last];
  Shape index = Shape::filled(x.shape().rank(), 0);
  const T* from = x.values<T>().data();
  const std::int64_t rows = count == 0 ? 0 : static_cast<std::int64_t>(x.elementCount()) / count;
  double* to = sums.data();
  for (std::int64_t row = 0; row < rows; ++row, from += count) {
    if (strides[last] == 0) {
      double sum = 0;
      for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(from[i]);
      *to += sum;
    } else {
      for (std::int64_t i = 0; i < count; ++i) to[i] += static_cast<double>(from[i]);
    }
    for (std::size_t axis = last; axis-- > 0;) {
      to += strides[axis];
      if (++index[axis] < x.shape()[axis]) break;
      to -= index[axis] * strides[axis];
      index[axis] = 0;
    }
  }
  Tensor result(x.type(), shape);
  const std::span<T> target = result.mutableValues<T>();
  for (std::size_t i = 0; i < target.size(); ++i) target[i] = static_cast<T>(sums[i]);
  return result;
}

}  // namespace

void addTo(Tensor& target, const Tensor& addend) {
  if (!addend.defined()) return;
  if (!target.defined()) {
    target = addend;
    return;
  }
  if (target.shape() != addend.shape() || target.type() != addend.type()) {
    throw Error(ErrorCode::InvalidParameters, "cotangents of the shapes " +
                                                  toString(target.shape()) + " and " +
                                                  toString(addend.shape()) + " do not add up");
  }
  visitRealType(target.type(), [&]<class T>() {
    if (!target.soleOwner()) {
      target = mapPairs<T>(addend, target, [](T a, T b) { return b + a; });
      return;
    }
    const Tensor other = toLayout(addend, target.layout());
    const T* const x = other.values<T>().data();
    T* const to = target.mutableValues<T>().data();
    forEachPiece(target.elementCount(), kPieceElements, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) to[i] += x[i];
    });
  });
}

Tensor negated(const Tensor& x) {
  return visitRealType(
      x.type(), [&]<class T>() { return mapPairs<T>(x, x, [](T, T value) { return -value; }); });
}

Tensor sumTo(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  const Tensor plain = toLayout(x, Layout::Plain);
  if (x.shape().elementCount() == shape.elementCount() && x.elementCount() > 0) {
    return plain.reshaped(shape);
  }
  if (x.shape().empty()) return plain;
  return visitRealType(x.type(), [&]<class T>() { return summed<T>(plain, shape); });
}

Tensor sumOfChannels(const Tensor& x) {
  const Shape channels{x.shape()[1]};
  if (x.layout() != Layout::ChannelsLast) {
    Shape kept = Shape::filled(x.shape().rank(), 1);
    kept[1] = channels[0];
    return sumTo(x, kept).reshaped(channels);
  }
  // Channels-last, it is a matrix with a row per place.
  const Tensor rows = x.reinterpreted(
      Shape{static_cast<std::int64_t>(x.elementCount()) / channels[0], channels[0]}, Layout::Plain);
  return sumTo(rows, channels);
}

Tensor broadcastTo(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  return visitRealType(x.type(), [&]<class T>() {
    const Tensor zeros = Tensor::zeros(x.type(), shape);
    return mapBroadcast<T>(x, zeros, zeros, [](T value, T, T) { return value; });
  });
}

}  // namespace quantscope
