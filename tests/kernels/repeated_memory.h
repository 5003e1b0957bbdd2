#pragma once

#include <cstddef>
#include <span>

namespace quantscope::test {

/// An array far larger than the memory it takes: one block of memory mapped over and over, and
/// another one behind, so that the end can differ from all that is before it.
class RepeatedMemory {
 public:
  /// Bytes of each block.
  static constexpr std::size_t kBlock = std::size_t{8} << 20;

  /// `blocks` times the first block, then the last one; zeros.
  explicit RepeatedMemory(std::size_t blocks);
  ~RepeatedMemory();
  RepeatedMemory(const RepeatedMemory&) = delete;
  RepeatedMemory& operator=(const RepeatedMemory&) = delete;

  /// False where the system gave no address space or memory.
  bool available() const { return m_memory != nullptr; }

  template <class T>
  std::span<T> all() const {
    return {reinterpret_cast<T*>(m_memory), m_bytes / sizeof(T)};
  }
  template <class T>
  std::span<T> firstBlock() const {
    return all<T>().first(kBlock / sizeof(T));
  }
  template <class T>
  std::span<T> lastBlock() const {
    return all<T>().last(kBlock / sizeof(T));
  }

 private:
  std::byte* m_memory = nullptr;
  std::size_t m_bytes = 0;
};

}  // namespace quantscope::test
