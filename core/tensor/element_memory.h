#pragma once

#include <cstddef>
#include <memory>

namespace quantscope {

class TensorHeap;

/// Values come and go with every run; weights in the order of a kernel are read by many, from end
/// to end, and lie on large pages.
enum class MemoryUse { Values, Weights };

/// Uninitialized memory for the elements of a tensor or for what a kernel keeps; aligned to a cache
/// line. A whole vector that starts at the last element may be read.
class ElementMemory {
 public:
  ElementMemory() = default;
  /// Throws InsufficientData where there is no memory.
  explicit ElementMemory(std::size_t bytes, MemoryUse use = MemoryUse::Values);

  std::byte* data() const { return m_data.get(); }

 private:
  struct Release {
    TensorHeap* heap;  ///< where the memory is from; an allocator's where nullptr
    std::size_t capacity;
    void operator()(std::byte* data) const noexcept;
  };

  std::unique_ptr<std::byte, Release> m_data;
};

/// Gives regions without any memory in use back to the operating system, and forgets how much was
/// in use at once.
void restartHeapPeaks();

}  // namespace quantscope
