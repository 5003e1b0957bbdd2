#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tensor/tensor.h"

namespace quantscope {

/// Axes of one shape by those of another.
using AxisIndexes = std::vector<std::size_t>;

/// `shape` without axes of extent 1.
Shape withoutUnits(const Shape& shape);

/// A permutation of all axes of `shape`, as a Transpose has it, without those of extent 1.
AxisIndexes withoutUnits(const Shape& shape, const AxisIndexes& permutation);

/// The axes of `shape` in all orders in which their extents ascend; the first one keeps axes of
/// equal extent in order. At most 24.
std::vector<AxisIndexes> ascendingOrders(const Shape& shape);

/// The order in which axis b[i] of a second shape is axis a[i] of a first one; as in AxisOrder.
AxisIndexes orderBetween(const AxisIndexes& a, const AxisIndexes& b);

/// How a value of one model lies in another model that has the same elements: with its axes in
/// another order, with other axes of extent 1, or in the same order under another shape.
class AxisOrder {
 public:
  /// The two lie alike.
  AxisOrder() = default;
  /// The shapes of a value in either model. Axis i of the second is axis `order[i]` of the first,
  /// both counted without axes of extent 1; empty = the elements are in one order.
  AxisOrder(const Shape& first, const Shape& second, AxisIndexes order);

  /// True where the elements are in different orders.
  bool permutes() const { return m_permutes; }
  /// As given.
  const AxisIndexes& order() const { return m_order; }

  /// The first model's tensor as the second holds it, and back: as it is where the two lie alike,
  /// else Plain. The first axis may be longer than that of the value, by other numbers of samples.
  /// Undefined where the tensor has other axes.
  Tensor toSecond(const Tensor& first) const;
  Tensor toFirst(const Tensor& second) const;

  /// As attribute of the Transpose that makes the second of the first: "[0, 2, 3, 1]". Where the
  /// numbers of axes differ, those longer than 1 count: "[1, 0] of the axes longer than 1".
  std::string text() const;

 private:
  Shape m_first;
  Shape m_second;
  AxisIndexes m_order;
  AxisIndexes m_whole;  // m_order with axes of extent 1; empty where the ranks differ
  bool m_permutes = false;
};

}  // namespace quantscope
