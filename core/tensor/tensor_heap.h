#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

namespace quantscope {

/// Memory of tensors, cut out of regions. Every block lies as low as it fits in the oldest region
/// that has room, so that a run whose values come and go stays in the part of memory that the
/// caches hold. Very large blocks have a region of their own, on large pages.
///
/// Large pages are for what is read from end to end: where values come and go in the caches they
/// bring nothing, and new ones take long.
///
/// Empty regions are kept for reuse: together with the others at most as much as the blocks of this
/// heap have lain in at once. More than that goes back to the operating system.
class TensorHeap {
 public:
  /// Of every block, in bytes: a cache line.
  static constexpr std::size_t kAlignment = 64;
  /// Address space that is asked for at once; its pages are taken when they are first written.
  static constexpr std::size_t kRegion = std::size_t{64} << 20;
  /// Such blocks share their region with no others.
  static constexpr std::size_t kAlone = kRegion / 2;

  /// `allOnLargePages`: not only very large blocks.
  explicit TensorHeap(bool allOnLargePages = false) : m_allOnLargePages(allOnLargePages) {}
  ~TensorHeap();
  TensorHeap(const TensorHeap&) = delete;
  TensorHeap& operator=(const TensorHeap&) = delete;

  struct Block {
    std::byte* data = nullptr;
    std::size_t capacity = 0;
  };

  /// At least `bytes` uninitialized bytes; data is nullptr where there is no memory.
  Block take(std::size_t bytes);
  /// A block of this heap, from any thread.
  void giveBack(Block block) noexcept;

  /// Bytes of regions in which no block lies.
  std::size_t idleBytes() const;
  /// Resets the peak and frees the empty regions.
  void restartPeak();

 private:
  struct Gap {
    std::byte* start;
    std::size_t bytes;
  };
  struct Region {
    std::byte* start = nullptr;
    std::size_t bytes = 0;
    bool alone = false;
    std::size_t blocks = 0;
    std::size_t largestGap = 0;
    std::vector<Gap> gaps = {};  // by address; has room for one more than there are blocks
  };

  static Block cut(Region& region, std::size_t bytes);
  Region* regionFor(std::size_t bytes);
  Region* addRegion(std::size_t bytes);
  void shrinkTo(std::size_t bytes);

  const bool m_allOnLargePages;
  mutable std::mutex m_mutex;
  std::vector<Region> m_regions;  // the oldest first
  std::size_t m_mappedBytes = 0;
  std::size_t m_occupiedBytes = 0;  // in regions with blocks
  std::size_t m_mostOccupiedBytes = 0;
};

}  // namespace quantscope
