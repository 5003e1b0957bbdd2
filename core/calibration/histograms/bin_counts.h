#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace quantscope {

/// Counts by bin number, in memory that grows with the bins in use: blocks of 32 neighbours on
/// demand, 4 bytes a bin, and a carry beside it for the few that exceed 32 bits.
class BinCounts {
 public:
  void add(std::int32_t bin, std::uint64_t count);
  /// counts[i] to bin `first` + i.
  void add(std::int32_t first, std::span<const std::uint32_t> counts);
  void add(const BinCounts& other);

  std::uint64_t operator[](std::int32_t bin) const;
  /// Calls function(bin, count) for every bin that is not empty, in ascending order.
  template <class Function>
  void forEach(Function&& function) const;

  /// The memory of the counts, beyond this object.
  std::size_t bytes() const;

  /// Each bin b becomes part of bin floor(b / 2^times).
  void halve(int times);

 private:
  static constexpr int kBlockBits = 5;
  static constexpr std::int32_t kBlock = 1 << kBlockBits;

  std::size_t blockIndex(std::int32_t block) const;
  // Makes the block at its index, which blockIndex() gives, where it is not there yet.
  void makeBlock(std::size_t index, std::int32_t block);
  void addAt(std::size_t slot, std::int32_t bin, std::uint64_t count);
  std::uint64_t at(std::size_t slot, std::int32_t bin) const;

  std::vector<std::int32_t> m_blocks;               // sorted
  std::vector<std::uint32_t> m_counts;              // kBlock for each entry of m_blocks
  std::map<std::int32_t, std::uint64_t> m_carries;  // by bin, in units of 2^32
};

template <class Function>
void BinCounts::forEach(Function&& function) const {
  for (std::size_t slot = 0; slot < m_counts.size(); ++slot) {
    const std::int32_t bin =
        m_blocks[slot / kBlock] * kBlock + static_cast<std::int32_t>(slot % kBlock);
    if (const std::uint64_t count = at(slot, bin); count > 0) function(bin, count);
  }
}

}  // namespace quantscope
