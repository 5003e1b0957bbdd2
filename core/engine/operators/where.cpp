#include "base/error.h"
#include "engine/operators/broadcast.h"
#include "engine/operators/elementwise.h"
#include "engine/operators/operands.h"
#include "engine/operators/type_lists.h"

namespace quantscope {
namespace {

using Offsets = std::array<std::int64_t, BroadcastPlan::kMaxOperands>;

// What an operand is walked with: its first element of a row and how it advances.
template <class T>
struct Row {
  const T* first;
  std::int64_t stride;
  T operator[](std::int64_t i) const { return first[i * stride]; }
};

template <class T>
void selectRow(Row<bool> condition, Row<T> x, Row<T> y, T* target, std::int64_t count) {
  if (condition.stride == 0) {
    const Row<T> chosen = condition[0] ? x : y;
    for (std::int64_t i = 0; i < count; ++i) target[i] = chosen[i];
  } else {
    for (std::int64_t i = 0; i < count; ++i) target[i] = condition[i] ? x[i] : y[i];
  }
}

template <class T>
void select(std::span<const Tensor> operands, const BroadcastPlan& plan, Tensor& result) {
  const bool* condition = operands[0].values<bool>().data();
  const auto* x = reinterpret_cast<const T*>(operands[1].bytes());
  const auto* y = reinterpret_cast<const T*>(operands[2].bytes());
  auto* target = reinterpret_cast<T*>(result.mutableBytes());
  const std::size_t last = plan.axes - 1;
  forEachRow(plan, [&](const Offsets& offsets, std::int64_t offset, std::int64_t count) {
    selectRow(Row<bool>{condition + offsets[0], plan.strides[0][last]},
              Row<T>{x + offsets[1], plan.strides[1][last]},
              Row<T>{y + offsets[2], plan.strides[2][last]}, target + offset, count);
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
