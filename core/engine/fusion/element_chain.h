#pragma once

#include <cstddef>
#include <utility>

#include "engine/fusion/element_program.h"
#include "tensor/tensor.h"

namespace quantscope {

/// A chain of elementwise operations on a float32 tensor, executed together: each block of elements
/// passes through all operations while it is in the first-level cache.
///
/// Every operation rounds by itself, so the bits are those of one pass per operation.
class ElementChain {
 public:
  /// A chain without operations on nothing.
  ElementChain() = default;
  /// A chain without operations on `x`.
  explicit ElementChain(Tensor x) : m_x(std::move(x)) {}

  /// The tensor of the type, shape and layout that the chain starts and ends with; its elements
  /// have no meaning before finish().
  const Tensor& carrier() const { return m_x; }

  void append(const UnaryElement& element) { m_program.append(element); }
  /// `map` must outlive the chain.
  void append(const ElementMap& map) { m_program.append(map); }
  /// Appends an operation with an operand that is broadcast to the carrier. Returns false and
  /// appends nothing if the result's shape or layout would differ from the carrier's, or if the
  /// operand is not float32. Throws InvalidParameters where the shapes do not fit.
  bool append(BinaryElement element, const Tensor& operand);

  /// The operations, for other carriers of the same shape and layout.
  const ElementProgram& program() const { return m_program; }
  bool empty() const { return m_program.empty(); }

  /// Runs the operations, in the elements of x if x is their sole owner. Afterwards the chain is
  /// empty and has no tensor.
  Tensor finish();

 private:
  Tensor m_x;
  ElementProgram m_program;
};

/// `program` on x: in its elements if x is their sole owner, else in new ones.
Tensor runProgram(const ElementProgram& program, Tensor x);

}  // namespace quantscope
