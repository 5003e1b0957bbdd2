#include "engine/fusion/element_chain.h"

#include <algorithm>
#include <array>

#include "engine/operators/broadcast.h"
#include "engine/operators/memory_order.h"

namespace quantscope {
namespace {

// Rows of an operand that are all the same and shorter than this are repeated until they are not.
constexpr std::size_t kLongRow = 512;
// A walk over shorter rows that differ costs more than it saves.
constexpr std::size_t kShortestRow = 16;

Tensor repeated(const Tensor& row, std::size_t length) {
  const std::size_t times = (kLongRow + length - 1) / length;
  Tensor rows(ElementType::Float32, Shape{static_cast<std::int64_t>(times * length)});
  float* target = rows.mutableValues<float>().data();
  for (std::size_t i = 0; i < times; ++i) {
    target = std::copy_n(row.values<float>().data(), length, target);
  }
  return rows;
}

}  // namespace

bool ElementChain::append(BinaryElement element, const Tensor& operand) {
  if (!operand.defined() || operand.type() != ElementType::Float32 || m_x.elementCount() == 0) {
    return false;
  }
  if (operand.shape() == m_x.shape() && operand.layout() == m_x.layout()) {
    m_program.append(element, {.tensor = operand, .rowLength = m_x.elementCount(), .stride = 1});
    return true;
  }
  if (broadcast(m_x.shape(), operand.shape()) != m_x.shape()) return false;
  std::array operands{m_x, operand};
  const BroadcastPlan plan = planBroadcast(operands);
  if (plan.layout != m_x.layout() && !sameInEveryLayout(plan.shape)) return false;

  const std::size_t last = plan.axes - 1;
  ElementOperand walked{.tensor = std::move(operands[1]),
                        .rowLength = static_cast<std::size_t>(plan.extents[last]),
                        .stride = static_cast<std::size_t>(plan.strides[1][last])};
  for (std::size_t axis = last; axis-- > 0;) {
    walked.outer.push_back({static_cast<std::size_t>(plan.extents[axis]),
                            static_cast<std::size_t>(plan.strides[1][axis])});
  }
  const bool alike = std::ranges::all_of(walked.outer, [](const auto& a) { return a.stride == 0; });
  if (alike && walked.stride == 1 && !walked.outer.empty()) {
    walked.outer.clear();
    if (walked.rowLength < kLongRow) {
      walked.tensor = repeated(walked.tensor, walked.rowLength);
      walked.rowLength = walked.tensor.elementCount();
    }
  } else if (!walked.outer.empty() && walked.rowLength < kShortestRow) {
    return false;
  }
  m_x = m_x.reinterpreted(plan.shape, plan.layout);
  m_program.append(element, std::move(walked));
  return true;
}

Tensor ElementChain::finish() {
  Tensor x = std::exchange(m_x, Tensor());
  const ElementProgram program = std::exchange(m_program, {});
  return program.empty() ? x : runProgram(program, std::move(x));
}

Tensor runProgram(const ElementProgram& program, Tensor x) {
  const std::span<const float> source = x.values<float>();
  Tensor y = x.soleOwner() ? x : Tensor(ElementType::Float32, x.shape(), x.layout());
  program.run(source, y.mutableValues<float>());
  return y;
}

}  // namespace quantscope
