#include "engine/operators/operands.h"

#include <string>
#include <utility>

#include "base/error.h"

namespace quantscope {

Tensor& requiredInput(std::span<Tensor> inputs, std::size_t index) {
  if (index < inputs.size() && inputs[index].defined()) return inputs[index];
  throw Error(ErrorCode::InvalidModel, "input " + std::to_string(index) + " is missing", {},
              "export the model again");
}

Tensor* optionalInput(std::span<Tensor> inputs, std::size_t index) {
  return index < inputs.size() && inputs[index].defined() ? &inputs[index] : nullptr;
}

Tensor inputOrUndefined(std::span<Tensor> inputs, std::size_t index) {
  return index < inputs.size() ? inputs[index] : Tensor();
}

void setOutput(std::span<Tensor> outputs, std::size_t index, Tensor tensor) {
  if (index < outputs.size()) outputs[index] = std::move(tensor);
}

Tensor takeOver(Tensor& input, ElementType type) {
  if (input.type() == type && input.soleOwner()) return std::move(input);
  return {type, input.shape(), input.layout()};
}

IntegersOperand::IntegersOperand(const Node& node, std::string_view attribute, std::size_t index)
    : m_index(index) {
  if (node.has(attribute)) m_fixed = node.integers(attribute);
}

std::optional<std::vector<std::int64_t>> IntegersOperand::read(std::span<Tensor> inputs) const {
  if (m_fixed) return m_fixed;
  const Tensor* input = optionalInput(inputs, m_index);
  if (input == nullptr) return std::nullopt;
  return toIntegers(*input);
}

std::int64_t checkedProduct(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  throw Error(ErrorCode::InvalidParameters, "the extents " + std::to_string(a) + " and " +
                                                std::to_string(b) + " are too large together");
}

std::int64_t onlyInteger(const Tensor& tensor) {
  if (tensor.elementCount() != 1) {
    throw Error(ErrorCode::InvalidParameters,
                "expected one integer but found a tensor of shape " + toString(tensor.shape()));
  }
  return toIntegers(tensor).front();
}

}  // namespace quantscope
