#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace quantscope {

/// An axis of an einsum operand: a letter's code, or −k for the k-th axis from the right of those
/// that an ellipsis stands for.
using EinsumLabel = int;
using EinsumTerm = std::vector<EinsumLabel>;

/// "...ij,...jk->...ik", also without "->": then the ellipsis and the letters that occur once, in
/// alphabetical order.
class EinsumEquation {
 public:
  /// Throws InvalidModel for anything else.
  explicit EinsumEquation(std::string_view text);

  std::size_t operands() const { return m_inputs.size(); }

  /// The labels of each operand's axes. Throws InvalidParameters where a rank does not fit.
  std::vector<EinsumTerm> inputs(std::span<const std::size_t> ranks) const;
  /// The labels of the result's axes for those operands.
  EinsumTerm output(const std::vector<EinsumTerm>& inputs) const;

 private:
  // Labels, with kEllipsis where the ellipsis stands.
  std::vector<EinsumTerm> m_inputs;
  EinsumTerm m_output;
};

}  // namespace quantscope
