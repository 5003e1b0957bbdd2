#include "onnx/inference/context.h"

#include <algorithm>
#include <cmath>

#include "onnx/tensors.h"
#include "tensor/shape.h"

namespace quantscope::inference {

bool Context::hasInput(std::size_t index) const {
  return index < node().inputs.size() && node().inputs[index].valid();
}

std::optional<ElementType> Context::element(std::size_t input) const {
  if (!hasInput(input)) return {};
  return m_knowledge.type(node().inputs[input]).element;
}

const Dimensions* Context::shape(std::size_t input) const {
  if (!hasInput(input)) return nullptr;
  const std::optional<Dimensions>& known = m_knowledge.type(node().inputs[input]).shape;
  return known ? &*known : nullptr;
}

const Elements* Context::elements(std::size_t input) const {
  return hasInput(input) ? m_knowledge.elements(node().inputs[input]) : nullptr;
}

IntegerList Context::integers(std::string_view attribute, std::size_t input) const {
  if (node().has(attribute)) return {true, node().integers(attribute)};
  if (!hasInput(input)) return {};
  IntegerList list{true, {}};
  const Elements* known = elements(input);
  const auto isNumber = [](const Element& element) { return element.number.has_value(); };
  if (known == nullptr || !std::ranges::all_of(*known, isNumber)) return list;
  list.values.emplace();
  for (const Element& element : *known) list.values->push_back(toInteger(*element.number));
  return list;
}

std::optional<std::int64_t> Context::integer(std::string_view attribute, std::size_t input,
                                             std::int64_t fallback) const {
  if (node().has(attribute)) return node().integer(attribute, fallback);
  const IntegerList list = integers({}, input);
  if (!list.given) return fallback;
  if (!list.values || list.values->size() != 1) return {};
  return list.values->front();
}

std::size_t Context::axis(std::int64_t fallback, std::size_t rank) const {
  return normalizeAxis(node().integer("axis", fallback), rank);
}

ValueType Context::output(std::size_t index) const {
  if (index >= node().outputs.size() || !node().outputs[index].valid()) return {};
  return m_knowledge.type(node().outputs[index]);
}

void Context::setOutput(std::size_t output, std::optional<ElementType> element,
                        std::optional<Dimensions> shape) {
  if (output >= node().outputs.size() || !node().outputs[output].valid()) return;
  m_knowledge.setType(node().outputs[output], {.element = element, .shape = std::move(shape)});
}

void Context::setElements(std::size_t output, Elements elements) {
  if (output >= node().outputs.size() || !node().outputs[output].valid()) return;
  m_knowledge.setElements(node().outputs[output], std::move(elements));
}

std::int64_t toInteger(double number) {
  constexpr double kLimit = 4611686018427387904.0;  // 2^62
  if (std::isnan(number)) return 0;
  return static_cast<std::int64_t>(std::clamp(number, -kLimit, kLimit));
}

std::optional<ElementType> elementTypeOf(std::int64_t onnxType) {
  return toElementType(static_cast<int>(std::clamp<std::int64_t>(onnxType, 0, 1000)));
}

}  // namespace quantscope::inference
