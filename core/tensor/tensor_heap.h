#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace quantscope {

/// Memory of tensors, cut out of regions on large pages. Every block lies as low as it fits, so
/// that a run whose values come and go stays in the part of memory that the caches hold.
///
/// Empty regions are kept for reuse: together with the others at most as much as blocks have lain
/// in at once. More than that goes back to the operating system.
class TensorHeap {
 public:
  /// Of every block, in bytes: a cache line.
  static constexpr std::size_t kAlignment = 64;

  TensorHeap() = default;
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
  void giveBack(Block block);

  /// Bytes of regions in which no block lies.
  std::size_t idleBytes() const;
  /// Resets the peak and frees the empty regions.
  void restartPeak();

 private:
  struct Region {
    std::byte* start;
    std::size_t bytes;
    std::map<std::byte*, std::size_t> gaps;  // by address: bytes
    std::size_t largestGap;

    bool empty() const { return largestGap == bytes; }
  };

  static Block cut(Region& region, std::size_t bytes);
  std::vector<Region>::iterator addRegion(std::size_t bytes);
  void occupy(std::size_t bytes);
  void shrinkTo(std::size_t bytes);
  void unmap(std::size_t index);

  mutable std::mutex m_mutex;
  std::vector<Region> m_regions;  // by address
  std::size_t m_mappedBytes = 0;
  std::size_t m_occupiedBytes = 0;  // in regions with blocks
  std::size_t m_mostOccupiedBytes = 0;
};

}  // namespace quantscope
