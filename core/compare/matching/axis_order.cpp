#include "compare/matching/axis_order.h"

#include <algorithm>
#include <span>

#include "engine/operators/data_movers/transpose.h"

namespace quantscope {
namespace {

constexpr std::size_t kMaxOrders = 24;  // of four equal axes

AxisIndexes longAxes(const Shape& shape) {
  AxisIndexes axes;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (shape[i] != 1) axes.push_back(i);
  }
  return axes;
}

bool ascends(const AxisIndexes& order) {
  return std::ranges::is_sorted(order);
}

AxisIndexes inverse(const AxisIndexes& order) {
  AxisIndexes result(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) result[order[i]] = i;
  return result;
}

// Axes of extent 1 are those of the other shape in their order.
AxisIndexes withUnits(const Shape& first, const Shape& second, const AxisIndexes& order) {
  if (first.rank() != second.rank()) return {};
  const AxisIndexes longer = longAxes(first);
  AxisIndexes units;
  for (std::size_t i = 0; i < first.rank(); ++i) {
    if (first[i] == 1) units.push_back(i);
  }
  AxisIndexes whole;
  std::size_t nextLonger = 0;
  std::size_t nextUnit = 0;
  for (const std::int64_t extent : second) {
    whole.push_back(extent == 1 ? units[nextUnit++] : longer[order[nextLonger++]]);
  }
  return whole;
}

// All that `order` is the beginning of: the smallest of the other axes comes next.
void addOrders(const Shape& shape, AxisIndexes& order, std::vector<AxisIndexes>& orders) {
  if (orders.size() == kMaxOrders) return;
  if (order.size() == shape.rank()) return orders.push_back(order);
  AxisIndexes next;
  for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
    if (std::ranges::find(order, axis) != order.end()) continue;
    if (!next.empty() && shape[axis] < shape[next.front()]) next.clear();
    if (next.empty() || shape[axis] == shape[next.front()]) next.push_back(axis);
  }
  for (const std::size_t axis : next) {
    order.push_back(axis);
    addOrders(shape, order, orders);
    order.pop_back();
  }
}

Tensor moved(const Tensor& tensor, const Shape& from, const Shape& to, const AxisIndexes& order,
             const AxisIndexes& whole) {
  const Tensor plain = toLayout(tensor, Layout::Plain);
  if (!whole.empty() && plain.shape().rank() == whole.size()) {
    return toLayout(transposed(plain, whole), Layout::Plain);
  }
  if (plain.shape() != from) return {};
  return toLayout(transposed(plain.reshaped(withoutUnits(from)), order), Layout::Plain)
      .reshaped(to);
}

Tensor likeIn(const Tensor& tensor, const Shape& from, const Shape& to) {
  if (from == to) return tensor;
  Shape shape = to;
  Shape usual = tensor.shape();
  const bool sameSamples = !from.empty() && !to.empty() && from[0] == to[0];
  if (sameSamples && !usual.empty()) {
    shape[0] = usual[0];
    usual[0] = from[0];
  }
  if (!(usual == from)) return {};
  return toLayout(tensor, Layout::Plain).reshaped(shape);
}

}  // namespace

Shape withoutUnits(const Shape& shape) {
  Shape result;
  for (const std::int64_t extent : shape) {
    if (extent != 1) result.append(extent);
  }
  return result;
}

AxisIndexes withoutUnits(const Shape& shape, const AxisIndexes& permutation) {
  AxisIndexes order;
  for (const std::size_t axis : permutation) {
    if (shape[axis] == 1) continue;
    const auto before = std::span(shape.begin(), axis);
    order.push_back(axis - static_cast<std::size_t>(std::ranges::count(before, 1)));
  }
  return order;
}

std::vector<AxisIndexes> ascendingOrders(const Shape& shape) {
  std::vector<AxisIndexes> orders;
  AxisIndexes order;
  addOrders(shape, order, orders);
  return orders;
}

AxisIndexes orderBetween(const AxisIndexes& a, const AxisIndexes& b) {
  AxisIndexes order(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) order[b[i]] = a[i];
  return order;
}

AxisOrder::AxisOrder(const Shape& first, const Shape& second, AxisIndexes order)
    : m_first(first), m_second(second), m_order(std::move(order)), m_permutes(!ascends(m_order)) {
  if (m_permutes) m_whole = withUnits(first, second, m_order);
}

Tensor AxisOrder::toSecond(const Tensor& first) const {
  if (!m_permutes) return likeIn(first, m_first, m_second);
  return moved(first, m_first, m_second, m_order, m_whole);
}

Tensor AxisOrder::toFirst(const Tensor& second) const {
  if (!m_permutes) return likeIn(second, m_second, m_first);
  return moved(second, m_second, m_first, inverse(m_order), inverse(m_whole));
}

std::string AxisOrder::text() const {
  const AxisIndexes& order = m_whole.empty() ? m_order : m_whole;
  std::string text = "[";
  for (const std::size_t axis : order) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(axis);
  }
  return text + (m_whole.empty() ? "] of the axes longer than 1" : "]");
}

}  // namespace quantscope
