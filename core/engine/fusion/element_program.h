#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernels/element_bounds.h"
#include "kernels/element_loops.h"
#include "tensor/tensor.h"

namespace quantscope {

/// A function of single elements; it must allow x and y to be the same.
using ElementMap = std::function<void(std::span<const float> x, std::span<float> y)>;

/// The layout of the second operand beside the elements of an array: in rows, in each of which it
/// advances by `stride` (0 or 1).
struct ElementOperand {
  struct Axis {
    std::size_t extent;
    std::size_t stride;
  };
  Tensor tensor = {};
  std::size_t rowLength = 0;
  std::size_t stride = 0;
  /// The axes that the rows are counted along, innermost first; empty if all rows are the same.
  std::vector<Axis> outer = {};
};

/// Elementwise operations in their order, carried out block by block. Every one rounds by itself.
class ElementProgram {
 public:
  bool empty() const { return m_steps.empty(); }
  /// The memory that an operation takes, without its operands.
  static std::size_t stepBytes() { return sizeof(Step); }

  void append(const UnaryElement& element);
  /// `map` must outlive the program.
  void append(const ElementMap& map);
  void append(BinaryElement element, ElementOperand operand);

  /// What the first operation is where it only puts elements between bounds.
  std::optional<ElementBounds> firstBounds() const;

  /// The operations behind the first `skipped` on x; y is as long, and the same elements or others.
  /// Where none is left, y is not written: then they must be the same.
  void run(std::span<const float> x, std::span<float> y, std::size_t skipped = 0) const;
  /// The same in place on a part of an array, on the calling thread; `first` is the part's place.
  void runOnPart(std::size_t first, std::span<float> part, std::size_t skipped = 0) const;

 private:
  // Neighbours that one loop can do are one step.
  struct Step {
    enum class Kind : std::uint8_t { Unary, Map, Binary, Sum, ScaleShift };
    Kind kind;
    UnaryElement unary = {};  ///< the operation, or what follows Sum and ScaleShift
    const ElementMap* map = nullptr;
    BinaryElement binary = BinaryElement::Add;
    ElementOperand operand = {};
    ElementOperand shift = {};
  };

  std::size_t blockLength() const;
  void runOnBlock(std::size_t first, std::span<const float> x, std::span<float> y,
                  std::size_t skipped) const;
  bool mergeWithLast(const UnaryElement& element);
  static void apply(const Step& step, std::size_t first, std::span<const float> x,
                    std::span<float> y);
  static void applyRow(const Step& step, const float* operand, std::size_t column,
                       std::span<const float> x, std::span<float> y);

  std::vector<Step> m_steps;
  std::size_t m_block = 0;
};

}  // namespace quantscope
