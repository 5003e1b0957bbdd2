#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "tensor/tensor.h"

namespace quantscope {

/// Input `index` of a node. Throws InvalidModel where the model omits it.
Tensor& requiredInput(std::span<Tensor> inputs, std::size_t index);

/// Input `index`, or nullptr where the model omits it.
Tensor* optionalInput(std::span<Tensor> inputs, std::size_t index);

/// Input `index`, or an undefined tensor where the model omits it.
Tensor inputOrUndefined(std::span<Tensor> inputs, std::size_t index);

/// Output `index` becomes `tensor`; nothing happens where the node has no such output.
void setOutput(std::span<Tensor> outputs, std::size_t index, Tensor tensor);

/// A tensor of the input's shape and layout to write a result of `type` to: the input itself if it
/// has that type and is the sole owner of its elements (it is undefined afterwards, so its elements
/// must be at hand by pointer), else a new one.
Tensor takeOver(Tensor& input, ElementType type);

/// Integers that old versions of an operator have as an attribute and newer ones as an input.
class IntegersOperand {
 public:
  /// Reads the attribute if the node has it, else input `index` of each run.
  IntegersOperand(const Node& node, std::string_view attribute, std::size_t index);

  /// nullopt if neither the attribute nor the input exists.
  std::optional<std::vector<std::int64_t>> read(std::span<Tensor> inputs) const;

 private:
  std::optional<std::vector<std::int64_t>> m_fixed;
  std::size_t m_index;
};

/// a·b, for extents of tensors without elements too, whose other extents may be any numbers.
/// Throws InvalidParameters where it is no 64-bit integer.
std::int64_t checkedProduct(std::int64_t a, std::int64_t b);

/// The only element of an integer input, as for axis, k, depth.
/// Throws InvalidParameters where it holds another number of elements.
std::int64_t onlyInteger(const Tensor& tensor);

}  // namespace quantscope
