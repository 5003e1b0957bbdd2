#include <algorithm>
#include <vector>

#include "base/error.h"
#include "engine/operators/operands.h"
#include "engine/operators/reductions/reduction_view.h"
#include "engine/operators/reductions/reductions.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

// A NaN beats every number, so that it is found whichever way one looks.
template <bool Largest, bool Last>
struct Beats {
  template <class T>
  bool operator()(T x, T best) const {
    if (best != best) return Last && x != x;
    if (x != x) return true;
    if constexpr (Last) return Largest ? x >= best : x <= best;
    return Largest ? x > best : x < best;
  }
};

template <class T, class Order>
void argOfRun(const T* x, std::int64_t* y, const AxisView& view, const Order& beats) {
  for (std::int64_t i = 0; i < view.outer; ++i, x += view.extent) {
    std::int64_t best = 0;
    for (std::int64_t j = 1; j < view.extent; ++j) {
      if (beats(x[j], x[best])) best = j;
    }
    y[i] = best;
  }
}

template <class T, class Order>
void argOfColumns(const T* x, std::int64_t* y, const AxisView& view, const Order& beats) {
  std::vector<T> best(static_cast<std::size_t>(view.inner));
  for (std::int64_t i = 0; i < view.outer; ++i, y += view.inner) {
    std::copy(x, x + view.inner, best.begin());
    std::fill(y, y + view.inner, 0);
    x += view.inner;
    for (std::int64_t row = 1; row < view.extent; ++row, x += view.inner) {
      for (std::size_t j = 0; j < best.size(); ++j) {
        if (!beats(x[j], best[j])) continue;
        best[j] = x[j];
        y[j] = row;
      }
    }
  }
}

Shape argShape(const Shape& shape, std::size_t axis, bool keepAxis) {
  Shape result;
  for (std::size_t i = 0; i < shape.rank(); ++i) {
    if (i != axis) {
      result.append(shape[i]);
    } else if (keepAxis) {
      result.append(1);
    }
  }
  return result;
}

template <class Order>
Tensor argReduced(const Tensor& x, std::size_t axis, bool keepAxis) {
  const AxisView view(x.shape(), axis);
  Tensor result(ElementType::Int64, argShape(x.shape(), axis, keepAxis));
  if (result.elementCount() == 0) return result;
  if (view.extent == 0) {
    throw Error(ErrorCode::InvalidData, "there is no extreme along an axis without elements");
  }
  std::int64_t* y = result.mutableValues<std::int64_t>().data();
  visitTypes(NumberTypes{}, x.type(), [&]<class T>() {
    const T* source = x.values<T>().data();
    view.inner == 1 ? argOfRun(source, y, view, Order{}) : argOfColumns(source, y, view, Order{});
  });
  return result;
}

template <class Order>
std::unique_ptr<Kernel> argReduceWith(const Node& node) {
  return makeKernel([axis = node.integer("axis", 0), keepAxis = node.integer("keepdims", 1) != 0](
                        std::span<Tensor> inputs, std::span<Tensor> outputs) {
    const Tensor& x = requiredInput(inputs, 0);
    const std::size_t along = normalizeAxis(axis, x.shape().rank());
    setOutput(outputs, 0, argReduced<Order>(x, along, keepAxis));
  });
}

template <bool Largest>
std::unique_ptr<Kernel> argReduce(const Node& node, const Graph& /*graph*/) {
  return node.integer("select_last_index", 0) != 0 ? argReduceWith<Beats<Largest, true>>(node)
                                                   : argReduceWith<Beats<Largest, false>>(node);
}

}  // namespace

void registerArgReduce(OperatorRegistry& registry) {
  registry.add("ArgMax", {1, 11, 12, 13}, argReduce<true>);
  registry.add("ArgMin", {1, 11, 12, 13}, argReduce<false>);
}

}  // namespace quantscope
