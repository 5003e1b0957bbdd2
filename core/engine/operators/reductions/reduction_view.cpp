#include "engine/operators/reductions/reduction_view.h"

#include "engine/operators/data_movers/transpose.h"
#include "engine/operators/memory_order.h"
#include "engine/operators/operands.h"

namespace quantscope {
namespace {

using AxisSet = std::array<bool, Shape::kMaxRank>;

Shape resultShape(const Shape& shape, const AxisSet& reduced, bool keepAxes) {
  Shape result;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (!reduced[i]) {
      result.append(shape[i]);
    } else if (keepAxes) {
      result.append(1);
    }
  }
  return result;
}

// Fills in the three extents from axes in the order of memory; false where a kept axis stands
// between reduced ones.
bool fillExtents(ReductionView& view, const Tensor& x, const AxisSet& reduced) {
  const std::size_t rank = x.shape().rank();
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t axis = logicalAxis(i, rank, x.layout());
    const std::int64_t extent = x.shape()[axis];
    if (extent == 1) continue;
    if (!reduced[axis]) {
      std::int64_t& side = view.reduced == 1 ? view.outer : view.inner;
      side = checkedProduct(side, extent);
    } else if (view.inner == 1) {
      view.reduced = checkedProduct(view.reduced, extent);
    } else {
      return false;
    }
  }
  return true;
}

// True where the kept axes follow each other in memory as in the result.
bool keepsOrder(const Tensor& x, const AxisSet& reduced, bool keepAxes) {
  if (keepAxes || x.layout() == Layout::Plain) return true;
  if (reduced[1] || x.shape()[1] == 1) return true;
  for (std::size_t axis = 2; axis < x.shape().rank(); ++axis) {
    if (!reduced[axis] && x.shape()[axis] != 1) return false;
  }
  return true;
}

Tensor withReducedLast(const Tensor& x, const AxisSet& reduced) {
  std::array<std::size_t, Shape::kMaxRank> permutation{};
  std::size_t next = 0;
  for (const bool wanted : {false, true}) {
    for (std::size_t i = 0; i < x.shape().rank(); ++i) {
      if (reduced[i] == wanted) permutation[next++] = i;
    }
  }
  const Tensor turned = transposed(x, std::span(permutation).first(x.shape().rank()));
  return toLayout(turned, Layout::Plain);
}

}  // namespace

ReductionView viewReduction(const Tensor& x, std::span<const std::int64_t> axes, bool keepAxes) {
  AxisSet reduced{};
  for (const std::int64_t axis : axes) reduced[normalizeAxis(axis, x.shape().rank())] = true;
  ReductionView view;
  view.shape = resultShape(x.shape(), reduced, keepAxes);
  if (keepsOrder(x, reduced, keepAxes) && fillExtents(view, x, reduced)) {
    view.source = x;
    if (keepAxes) view.layout = x.layout();
    return view;
  }
  view.source = withReducedLast(x, reduced);
  view.outer = view.shape.elementCount();
  view.inner = 1;
  view.reduced = 1;
  for (std::size_t i = 0; i < x.shape().rank(); ++i) {
    if (reduced[i]) view.reduced = checkedProduct(view.reduced, x.shape()[i]);
  }
  return view;
}

}  // namespace quantscope
