#pragma once

#include <cstddef>

namespace quantscope {

class TensorHeap;

/// Uninitialized memory for the elements of a tensor or for what a kernel keeps; aligned to a cache
/// line. A whole vector that starts at the last element may be read.
class ElementMemory {
 public:
  ElementMemory() = default;
  /// Throws InsufficientData where there is no memory.
  explicit ElementMemory(std::size_t bytes);
  ~ElementMemory();
  ElementMemory(ElementMemory&& other) noexcept;
  ElementMemory& operator=(ElementMemory&& other) noexcept;
  ElementMemory(const ElementMemory&) = delete;
  ElementMemory& operator=(const ElementMemory&) = delete;

  std::byte* data() const { return m_data; }

 private:
  std::byte* m_data = nullptr;
  std::size_t m_capacity = 0;
  TensorHeap* m_heap = nullptr;  ///< where the memory is from; an allocator's where nullptr
};

/// Gives regions without any memory in use back to the operating system, and forgets how much was
/// in use at once.
void restartHeapPeaks();

}  // namespace quantscope
