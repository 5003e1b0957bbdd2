#pragma once

#include <cstddef>
#include <deque>
#include <mutex>

namespace quantscope {

/// Memory for large tensors, which goes round instead of back to the operating system: to hand out
/// a page for the first time costs the kernel more than most operators spend on it.
///
/// What is kept for reuse and what is in use never exceed together what was in use at most.
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
  /// Forgets what was in use at most, and returns what that kept.
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
