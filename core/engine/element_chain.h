#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/element_program.h"
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

  /// What flows through: of the type, shape and layout that the chain starts and ends with, with
  /// elements that mean nothing before finish().
  const Tensor& carrier() const { return m_x; }

  void append(const UnaryElement& element) { m_program.append(element); }
  /// `map` must outlive the chain.
  void append(const ElementMap& map) { m_program.append(map); }
  /// With an operand that is broadcast to the carrier. False, and nothing happens, where the
  /// result's shape or layout would be another than the carrier's, or the operand is not float32.
  /// Throws InvalidParameters where the shapes do not fit.
  bool append(BinaryElement element, const Tensor& operand);

  /// The operations, for other carriers of the same shape and layout.
  const ElementProgram& program() const { return m_program; }
  bool empty() const { return m_program.empty(); }

  /// Carries the operations out, in the elements of x where nobody else holds them; the chain is
  /// one on nothing afterwards.
  Tensor finish();

 private:
  Tensor m_x;
  ElementProgram m_program;
};

/// `program` on x: in its elements where nobody else holds them, else in new ones.
Tensor runProgram(const ElementProgram& program, Tensor x);

}  // namespace quantscope
