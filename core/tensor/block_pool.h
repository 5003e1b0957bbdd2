#pragma once

#include <cstddef>
#include <deque>
#include <mutex>

namespace quantscope {

/// Memory for large tensors, reused instead of returned to the operating system: the first access
/// to a new page costs more than most operators need to compute on it.
///
/// The blocks in use and the idle blocks together never exceed the peak of the blocks in use.
class BlockPool {
 public:
  /// Smaller blocks are for an allocator.
  static constexpr std::size_t kSmallest = std::size_t{4} << 20;

  BlockPool() = default;
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  struct Block {
    std::byte* data = nullptr;  ///< aligned to 2 MiB
    std::size_t capacity = 0;
  };

  /// At least `bytes` uninitialized bytes; data is nullptr where there is no memory.
  Block take(std::size_t bytes);
  void giveBack(Block block);

  /// Bytes that are kept for reuse.
  std::size_t idleBytes() const;
  /// Resets the peak and frees the idle blocks.
  void restartPeak();

 private:
  Block takeIdle(std::size_t capacity);
  void shrinkTo(std::size_t idle);

  mutable std::mutex m_mutex;
  std::deque<Block> m_idle;  // given back first stands first
  std::size_t m_idleBytes = 0;
  std::size_t m_usedBytes = 0;
  std::size_t m_mostUsedBytes = 0;
};

}  // namespace quantscope
