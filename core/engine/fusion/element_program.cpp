#include "engine/fusion/element_program.h"

#include <algorithm>
#include <utility>

#include "base/part_loop.h"

namespace quantscope {
namespace {

// Elements of a block: with its operands it stays in the 32 KiB of a small first-level cache.
constexpr std::size_t kBlock = 2048;

// A channel's operand in every row: then a block that begins with a row reads it from its start.
bool repeats(const ElementOperand& operand) {
  return operand.stride == 1 && operand.outer.empty() && operand.rowLength <= kBlock;
}

const float* rowStart(const ElementOperand& operand, std::size_t row) {
  std::size_t offset = 0;
  for (const ElementOperand::Axis& axis : operand.outer) {
    offset += row % axis.extent * axis.stride;
    row /= axis.extent;
  }
  return operand.tensor.values<float>().data() + offset;
}

}  // namespace

bool ElementProgram::mergeWithLast(const UnaryElement& element) {
  if (m_steps.empty()) return false;
  Step& last = m_steps.back();
  const bool follows = last.kind == Step::Kind::Sum || last.kind == Step::Kind::ScaleShift;
  if (!follows || last.unary.operation != UnaryElement::Operation::Identity) return false;
  last.unary = element;
  return true;
}

void ElementProgram::append(const UnaryElement& element) {
  if (!mergeWithLast(element)) m_steps.push_back({.kind = Step::Kind::Unary, .unary = element});
}

void ElementProgram::append(const ElementMap& map) {
  m_steps.push_back({.kind = Step::Kind::Map, .map = &map});
}

void ElementProgram::append(BinaryElement element, ElementOperand operand) {
  const bool isSum = element == BinaryElement::Add && operand.stride == 1;
  if (repeats(operand) && m_block == 0) {
    m_block = std::max<std::size_t>(1, kBlock / operand.rowLength) * operand.rowLength;
  }
  if (isSum && !m_steps.empty()) {
    Step& last = m_steps.back();
    if (last.kind == Step::Kind::Binary && last.binary == BinaryElement::Multiply &&
        repeats(operand) && repeats(last.operand) && last.operand.rowLength == operand.rowLength) {
      last.kind = Step::Kind::ScaleShift;
      last.shift = std::move(operand);
      return;
    }
  }
  m_steps.push_back({.kind = isSum ? Step::Kind::Sum : Step::Kind::Binary,
                     .binary = element,
                     .operand = std::move(operand)});
}

void ElementProgram::applyRow(const Step& step, const float* operand, std::size_t column,
                              std::span<const float> x, std::span<float> y) {
  const std::size_t count = x.size();
  switch (step.kind) {
    case Step::Kind::Sum:
      return applySum(x, {operand + column, count}, step.unary, y);
    case Step::Kind::ScaleShift: {
      const float* shift = step.shift.tensor.values<float>().data() + column;
      return applyScaleShift(x, {operand + column, count}, {shift, count}, step.unary, y);
    }
    default:
      return step.operand.stride == 0 ? applyBinary(step.binary, x, {operand, 1}, y)
                                      : applyBinary(step.binary, x, {operand + column, count}, y);
  }
}

// `first` is the place of x[0] in the whole array.
void ElementProgram::apply(const Step& step, std::size_t first, std::span<const float> x,
                           std::span<float> y) {
  if (step.kind == Step::Kind::Unary) return applyUnary(step.unary, x, y);
  if (step.kind == Step::Kind::Map) return (*step.map)(x, y);
  const std::size_t length = step.operand.rowLength;
  for (std::size_t done = 0; done < x.size();) {
    const std::size_t column = (first + done) % length;
    const std::size_t count = std::min(length - column, x.size() - done);
    const float* row = rowStart(step.operand, (first + done) / length);
    applyRow(step, row, column, x.subspan(done, count), y.subspan(done, count));
    done += count;
  }
}

std::size_t ElementProgram::blockLength() const {
  return m_block == 0 ? kBlock : m_block;
}

std::optional<ElementBounds> ElementProgram::firstBounds() const {
  if (m_steps.empty() || m_steps.front().kind != Step::Kind::Unary) return {};
  const UnaryElement& first = m_steps.front().unary;
  if (first.operation == UnaryElement::Operation::Relu) return ElementBounds{.low = 0};
  if (first.operation != UnaryElement::Operation::Clamp) return {};
  return ElementBounds{first.a, first.b};
}

void ElementProgram::runOnBlock(std::size_t first, std::span<const float> x, std::span<float> y,
                                std::size_t skipped) const {
  for (const Step& step : std::span(m_steps).subspan(skipped)) {
    apply(step, first, x, y);
    x = y;
  }
}

void ElementProgram::run(std::span<const float> x, std::span<float> y, std::size_t skipped) const {
  if (skipped == m_steps.size()) return;
  const std::size_t block = blockLength();
  const std::size_t blocks = std::max<std::size_t>(1, kPieceElements / block);
  forEachPiece(x.size(), blocks * block, [&](std::size_t first, std::size_t end) {
    for (; first < end; first += block) {
      const std::size_t count = std::min(block, end - first);
      runOnBlock(first, x.subspan(first, count), y.subspan(first, count), skipped);
    }
  });
}

void ElementProgram::runOnPart(std::size_t first, std::span<float> part,
                               std::size_t skipped) const {
  if (skipped == m_steps.size()) return;
  const std::size_t block = blockLength();
  for (std::size_t done = 0; done < part.size(); done += block) {
    const std::span<float> some = part.subspan(done, std::min(block, part.size() - done));
    runOnBlock(first + done, some, some, skipped);
  }
}

}  // namespace quantscope
