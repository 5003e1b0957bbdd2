#include "calibration/bin_counts.h"

#include <algorithm>

namespace quantscope {
namespace {

constexpr int kCarryBits = 32;

}  // namespace

// Where the block is, or where it belongs.
std::size_t BinCounts::blockIndex(std::int32_t block) const {
  return static_cast<std::size_t>(std::lower_bound(m_blocks.begin(), m_blocks.end(), block) -
                                  m_blocks.begin());
}

std::uint64_t BinCounts::at(std::size_t slot, std::int32_t bin) const {
  const auto carry = m_carries.find(bin);
  return m_counts[slot] + (carry == m_carries.end() ? 0 : carry->second << kCarryBits);
}

void BinCounts::add(std::int32_t bin, std::uint64_t count) {
  const std::int32_t block = bin >> kBlockBits;
  const std::size_t index = blockIndex(block);
  if (index == m_blocks.size() || m_blocks[index] != block) {
    m_blocks.insert(m_blocks.begin() + static_cast<std::ptrdiff_t>(index), block);
    m_counts.insert(m_counts.begin() + static_cast<std::ptrdiff_t>(index * kBlock), kBlock, 0);
  }
  std::uint32_t& low = m_counts[index * kBlock + static_cast<std::size_t>(bin - block * kBlock)];
  // Split before the sum: both halves of `count` may carry.
  const std::uint64_t sum = (count & 0xFFFFFFFFU) + low;
  const std::uint64_t carry = (count >> kCarryBits) + (sum >> kCarryBits);
  low = static_cast<std::uint32_t>(sum);
  if (carry > 0) m_carries[bin] += carry;
}

void BinCounts::add(std::int32_t first, std::span<const std::uint64_t> counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) add(first + static_cast<std::int32_t>(i), counts[i]);
  }
}

std::uint64_t BinCounts::operator[](std::int32_t bin) const {
  const std::int32_t block = bin >> kBlockBits;
  const std::size_t index = blockIndex(block);
  if (index == m_blocks.size() || m_blocks[index] != block) return 0;
  return at(index * kBlock + static_cast<std::size_t>(bin - block * kBlock), bin);
}

void BinCounts::halve(int times) {
  BinCounts halved;
  // Every bin of an int32 is 0 or −1 after 31 halvings.
  const int shift = std::min(times, 31);
  forEach([&](std::int32_t bin, std::uint64_t count) { halved.add(bin >> shift, count); });
  *this = std::move(halved);
}

}  // namespace quantscope
