#include "onnx/inference/knowledge.h"

#include <utility>

#include "tensor/half.h"

namespace quantscope::inference {
namespace {

// No tensor is that long, and formulas over extents below it and modest attributes (see
// dimensions.h) do not overflow.
constexpr std::int64_t kMaxExtent = std::int64_t{1} << 40;

Elements elementsOf(const Tensor& tensor) {
  Elements elements;
  visitElementType(tensor.type(), [&]<class T>() {
    for (const T value : tensor.values<T>()) {
      if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
        elements.push_back({toFloat(value), {}});
      } else {
        elements.push_back({static_cast<double>(value), {}});
      }
    }
  });
  return elements;
}

void forgetImpossible(ValueType& type) {
  if (!type.shape) return;
  for (Dimension& dimension : *type.shape) {
    if (dimension.extent > kMaxExtent || dimension.extent < 0) dimension.extent = -1;
    if (dimension.known()) dimension.symbol.clear();
  }
}

Dimension merged(Dimension computed, const Dimension& declared) {
  const bool nothingComputed = !computed.known() && computed.symbol.empty();
  return nothingComputed ? declared : computed;
}

ValueType merged(ValueType computed, const ValueType& declared) {
  if (!computed.element) computed.element = declared.element;
  if (!computed.shape) {
    computed.shape = declared.shape;
  } else if (declared.shape && declared.shape->size() == computed.shape->size()) {
    for (std::size_t i = 0; i < computed.shape->size(); ++i) {
      (*computed.shape)[i] = merged((*computed.shape)[i], (*declared.shape)[i]);
    }
  }
  return computed;
}

}  // namespace

Knowledge::Knowledge(Graph& graph) : m_graph(graph), m_elements(graph.values().size()) {
  for (std::size_t i = 0; i < graph.values().size(); ++i) {
    Value& value = graph.mutableValue(ValueId(i));
    forgetImpossible(value.type);
    m_declared.push_back(value.type);
    if (value.constant.defined() && value.constant.elementCount() <= kMaxElements) {
      m_elements[i] = elementsOf(value.constant);
    }
  }
}

const Elements* Knowledge::elements(ValueId id) const {
  const std::optional<Elements>& known = m_elements[id.at()];
  return known && type(id).shape ? &*known : nullptr;
}

void Knowledge::reset(ValueId id) {
  if (m_graph[id].constant.defined()) return;
  m_graph.mutableValue(id).type = m_declared[id.at()];
  m_elements[id.at()].reset();
}

void Knowledge::setType(ValueId id, ValueType computed) {
  if (m_graph[id].constant.defined()) return;
  forgetImpossible(computed);
  m_graph.mutableValue(id).type = merged(std::move(computed), m_declared[id.at()]);
}

void Knowledge::setElements(ValueId id, Elements elements) {
  const std::optional<Dimensions>& shape = type(id).shape;
  if (m_graph[id].constant.defined() || !shape || elements.size() > kMaxElements) return;
  if (elementCount(*shape) != static_cast<std::int64_t>(elements.size())) return;
  m_elements[id.at()] = std::move(elements);
}

std::optional<std::int64_t> elementCount(const Dimensions& shape) {
  std::int64_t count = 1;
  for (const Dimension& dimension : shape) {
    if (!dimension.known() || __builtin_mul_overflow(count, dimension.extent, &count)) return {};
  }
  return count;
}

}  // namespace quantscope::inference
