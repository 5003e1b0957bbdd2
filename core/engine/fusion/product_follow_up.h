#pragma once

#include "base/part_loop.h"
#include "engine/fusion/element_program.h"

namespace quantscope {

/// What follows a matrix product: bounds that the product itself puts its sums between, and what
/// else a program does with the elements.
class ProductFollowUp {
 public:
  /// `program` may be null, and outlives this.
  explicit ProductFollowUp(const ElementProgram* program) : m_program(program) {
    const auto bounds = program == nullptr ? std::nullopt : program->firstBounds();
    if (!bounds) return;
    m_bounds = *bounds;
    m_skipped = 1;
  }

  /// Of bounds alone, for a product that is only some of the elements: the operands of a program
  /// depend on the place among all.
  explicit ProductFollowUp(const ElementBounds& bounds) : m_program(nullptr), m_bounds(bounds) {}

  const ElementBounds& bounds() const { return m_bounds; }

  /// The rest on a part of the elements, as in ElementProgram::runOnPart.
  void finishPart(std::size_t first, std::span<float> part) const {
    if (m_program != nullptr) m_program->runOnPart(first, part, m_skipped);
  }
  /// The same in parts of an item.
  void finishInParts(std::size_t first, std::span<float> elements) const {
    if (m_program == nullptr) return;
    forEachPiece(elements.size(), kPieceElements, [&](std::size_t begin, std::size_t end) {
      finishPart(first + begin, elements.subspan(begin, end - begin));
    });
  }

 private:
  const ElementProgram* m_program;
  ElementBounds m_bounds;
  std::size_t m_skipped = 0;
};

}  // namespace quantscope
