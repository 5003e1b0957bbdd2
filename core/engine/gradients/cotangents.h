#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "base/part_loop.h"
#include "engine/gradients/gradient.h"
#include "engine/operators/broadcast.h"

namespace quantscope {

/// target += addend; both have the same shape and type. An undefined target becomes the addend.
void addTo(Tensor& target, const Tensor& addend);

/// −x.
Tensor negated(const Tensor& x);

/// Sums over the axes that broadcasting from `shape` to x's shape has added or stretched: the
/// adjoint of broadcasting. Sums are taken in double, in the order of memory. Shares x's elements
/// where there is nothing to sum.
Tensor sumTo(const Tensor& x, const Shape& shape);

/// Σ over all but axis 1, of the shape [C]; sums in double.
Tensor sumOfChannels(const Tensor& x);

/// x of a shape that broadcasts to `shape`, as a tensor of it.
Tensor broadcastTo(const Tensor& x, const Shape& shape);

/// function(a, b, c) of three operands by the broadcasting rule.
template <class T, class Function>
Tensor mapBroadcast(Tensor a, Tensor b, Tensor c, const Function& function) {
  std::array<Tensor, 3> operands{std::move(a), std::move(b), std::move(c)};
  const BroadcastPlan plan = planBroadcast(operands);
  Tensor result(ElementTypeOf<T>::kType, plan.shape, plan.layout);
  if (result.elementCount() == 0) return result;
  const T* const x = operands[0].values<T>().data();
  const T* const y = operands[1].values<T>().data();
  const T* const z = operands[2].values<T>().data();
  T* const to = result.mutableValues<T>().data();
  const std::size_t last = plan.axes - 1;
  const std::int64_t dx = plan.strides[0][last];
  const std::int64_t dy = plan.strides[1][last];
  const std::int64_t dz = plan.strides[2][last];
  forEachRow(plan, [&](const auto& offsets, std::int64_t target, std::int64_t count) {
    const T* const p = x + offsets[0];
    const T* const q = y + offsets[1];
    const T* const r = z + offsets[2];
    T* const out = to + target;
    if (dx == 1 && dy == 1 && dz == 1) {
      for (std::int64_t i = 0; i < count; ++i) out[i] = function(p[i], q[i], r[i]);
    } else {
      for (std::int64_t i = 0; i < count; ++i) {
        out[i] = function(p[i * dx], q[i * dy], r[i * dz]);
      }
    }
  });
  return result;
}

/// function(a, b) of two operands of one shape, in the layout of the second.
template <class T, class Function>
Tensor mapPairs(const Tensor& a, const Tensor& b, const Function& function) {
  const Tensor first = toLayout(a, b.layout());
  Tensor result(b.type(), b.shape(), b.layout());
  const T* const x = first.values<T>().data();
  const T* const y = b.values<T>().data();
  T* const to = result.mutableValues<T>().data();
  forEachPiece(b.elementCount(), kPieceElements, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) to[i] = function(x[i], y[i]);
  });
  return result;
}

}  // namespace quantscope
