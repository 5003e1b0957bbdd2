#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tensor/element_memory.h"
#include "tensor/element_type.h"
#include "tensor/shape.h"

namespace quantscope {

/// The order of the elements in memory. The shape is always the logical one, [N, C, D1, …].
enum class Layout : std::uint8_t {
  Plain,         ///< row-major in the logical order
  ChannelsLast,  ///< row-major as [N, D1, …, C]; only inside the engine, for rank ≥ 3
};

/// A dense tensor. Copies share their elements. Only the code that creates a tensor writes to it,
/// before it passes the tensor on; afterwards it is read-only.
class Tensor {
 public:
  /// Undefined: an omitted input, or a value that was not computed.
  Tensor() = default;
  /// Uninitialized elements, aligned to 64 bytes.
  Tensor(ElementType type, const Shape& shape, Layout layout = Layout::Plain,
         MemoryUse use = MemoryUse::Values);

  template <class T>
  static Tensor of(const Shape& shape, std::span<const T> elements);
  template <class T>
  static Tensor of(const Shape& shape, std::initializer_list<T> elements) {
    return of(shape, std::span<const T>(elements.begin(), elements.size()));
  }
  template <class T>
  static Tensor scalar(T element) {
    return of(Shape{}, std::span<const T>(&element, 1));
  }
  static Tensor zeros(ElementType type, const Shape& shape);

  bool defined() const { return m_bytes != nullptr; }
  ElementType type() const { return m_type; }
  const Shape& shape() const { return m_shape; }
  Layout layout() const { return m_layout; }
  std::size_t elementCount() const { return m_elementCount; }
  std::size_t byteSize() const { return m_elementCount * quantscope::byteSize(m_type); }

  const std::byte* bytes() const { return m_bytes.get(); }
  std::byte* mutableBytes() { return m_bytes.get(); }

  /// The elements in memory order. Throws UnsupportedType unless T stores this tensor's type.
  template <class T>
  std::span<const T> values() const {
    requireType(ElementTypeOf<T>::kType);
    return {reinterpret_cast<const T*>(m_bytes.get()), m_elementCount};
  }
  template <class T>
  std::span<T> mutableValues() {
    requireType(ElementTypeOf<T>::kType);
    return {reinterpret_cast<T*>(m_bytes.get()), m_elementCount};
  }

  /// The same elements under another shape of equal count; Plain layout only.
  Tensor reshaped(const Shape& shape) const;

  /// The same elements in the same order of memory, read as another shape of equal count in
  /// another layout: [N, C, H, W] channels-last is [N, H, W, C] plain.
  Tensor reinterpreted(const Shape& shape, Layout layout) const;

  /// True if no other tensor shares these elements, so that they may be overwritten in place.
  bool soleOwner() const { return m_bytes.use_count() == 1; }
  /// True where both are views of the same elements.
  bool sharesElementsWith(const Tensor& other) const { return m_bytes == other.m_bytes; }

 private:
  void requireType(ElementType type) const;

  std::shared_ptr<std::byte> m_bytes;
  std::size_t m_elementCount = 0;
  Shape m_shape;
  ElementType m_type = ElementType::Float32;
  Layout m_layout = Layout::Plain;
};

/// The same tensor in the wanted layout; shares the elements where nothing has to move.
Tensor toLayout(const Tensor& tensor, Layout layout);

/// Elements converted to float (exact for half types and small integers; double rounds).
Tensor toFloat32(const Tensor& tensor);
/// float elements rounded to `type`, a float type (round to nearest even).
Tensor fromFloat32(const Tensor& tensor, ElementType type);

/// The elements as integers, for axes, shapes and indices; int32 or int64 tensors.
std::vector<std::int64_t> toIntegers(const Tensor& tensor);

/// Same type, shape and bits, in logical order (NaN equals itself bit by bit).
bool identical(const Tensor& a, const Tensor& b);

template <class T>
Tensor Tensor::of(const Shape& shape, std::span<const T> elements) {
  Tensor tensor(ElementTypeOf<T>::kType, shape);
  const std::span<T> target = tensor.mutableValues<T>();
  for (std::size_t i = 0; i < target.size(); ++i) target[i] = elements[i];
  return tensor;
}

}  // namespace quantscope
