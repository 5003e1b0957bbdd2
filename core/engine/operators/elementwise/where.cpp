#include <algorithm>
#include <string>

#include "base/error.h"
#include "engine/operators/broadcast.h"
#include "engine/operators/elementwise/elementwise.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

using Offsets = std::array<std::int64_t, BroadcastPlan::kMaxOperands>;

// target[i] = condition[i] ? x[i] : y[i] without a branch; operands of stride 0 stand still.
template <std::int64_t StrideX, std::int64_t StrideY, class T>
void selectEach(const bool* condition, const T* x, const T* y, T* target, std::int64_t count) {
  using Bits = decltype(T::bits);
  for (std::int64_t i = 0; i < count; ++i) {
    const Bits mask = static_cast<Bits>(0 - static_cast<Bits>(condition[i]));
    const Bits chosen = static_cast<Bits>(x[i * StrideX].bits & mask);
    target[i].bits = static_cast<Bits>(chosen | (y[i * StrideY].bits & ~mask));
  }
}

template <class T>
void copyRow(const T* x, std::int64_t stride, T* target, std::int64_t count) {
  if (stride == 0) {
    std::fill_n(target, count, *x);
  } else {
    std::copy_n(x, count, target);
  }
}

struct Strides {
  std::int64_t condition;
  std::int64_t x;
  std::int64_t y;
};

template <class T>
void selectRow(const Strides& strides, const bool* condition, const T* x, const T* y, T* target,
               std::int64_t count) {
  if (strides.condition == 0) {
    *condition ? copyRow(x, strides.x, target, count) : copyRow(y, strides.y, target, count);
  } else if (strides.x == 0) {
    strides.y == 0 ? selectEach<0, 0>(condition, x, y, target, count)
                   : selectEach<0, 1>(condition, x, y, target, count);
  } else {
    strides.y == 0 ? selectEach<1, 0>(condition, x, y, target, count)
                   : selectEach<1, 1>(condition, x, y, target, count);
  }
}

template <class T>
void select(std::span<const Tensor> operands, const BroadcastPlan& plan, Tensor& result) {
  const bool* condition = operands[0].values<bool>().data();
  const auto* x = reinterpret_cast<const T*>(operands[1].bytes());
  const auto* y = reinterpret_cast<const T*>(operands[2].bytes());
  auto* target = reinterpret_cast<T*>(result.mutableBytes());
  const std::size_t last = plan.axes - 1;
  const Strides strides{plan.strides[0][last], plan.strides[1][last], plan.strides[2][last]};
  forEachRow(plan, [&](const Offsets& offsets, std::int64_t offset, std::int64_t count) {
    selectRow(strides, condition + offsets[0], x + offsets[1], y + offsets[2], target + offset,
              count);
  });
}

void where(std::span<Tensor> inputs, std::span<Tensor> outputs) {
  for (std::size_t i = 0; i < 3; ++i) requiredInput(inputs, i);
  const ElementType type = inputs[1].type();
  if (inputs[2].type() != type) {
    throw Error(ErrorCode::UnsupportedType, "a choice between " + std::string(name(type)) +
                                                " and " + std::string(name(inputs[2].type())) +
                                                " elements has no type");
  }
  const std::span<Tensor> operands = inputs.first(3);
  const BroadcastPlan plan = planBroadcast(operands);
  Tensor result(type, plan.shape, plan.layout);
  visitRawElements(byteSize(type), [&]<class T>() { select<T>(operands, plan, result); });
  setOutput(outputs, 0, std::move(result));
}

std::unique_ptr<Kernel> whereKernel(const Node& /*node*/, const Graph& /*graph*/) {
  return makeKernel(where, Kernel::InputLayout::Any, true);
}

}  // namespace

void registerWhere(OperatorRegistry& registry) {
  registry.add("Where", {9, 16}, whereKernel);
}

}  // namespace quantscope
