#include "calibration/histograms/bin_counts.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace quantscope {
namespace {

constexpr int kCarryBits = 32;

}  // namespace

// The index of the block, or of the place to insert it.
std::size_t BinCounts::blockIndex(std::int32_t block) const {
  return static_cast<std::size_t>(std::lower_bound(m_blocks.begin(), m_blocks.end(), block) -
                                  m_blocks.begin());
}

std::uint64_t BinCounts::at(std::size_t slot, std::int32_t bin) const {
  const auto carry = m_carries.find(bin);
  return m_counts[slot] + (carry == m_carries.end() ? 0 : carry->second << kCarryBits);
}

void BinCounts::makeBlock(std::size_t index, std::int32_t block) {
  if (index < m_blocks.size() && m_blocks[index] == block) return;
  m_blocks.insert(m_blocks.begin() + static_cast<std::ptrdiff_t>(index), block);
  m_counts.insert(m_counts.begin() + static_cast<std::ptrdiff_t>(index * kBlock), kBlock, 0);
}

void BinCounts::addAt(std::size_t slot, std::int32_t bin, std::uint64_t count) {
  // Split before the sum: both halves of `count` may carry.
  const std::uint64_t sum = (count & 0xFFFFFFFFU) + m_counts[slot];
  const std::uint64_t carry = (count >> kCarryBits) + (sum >> kCarryBits);
  m_counts[slot] = static_cast<std::uint32_t>(sum);
  if (carry > 0) m_carries[bin] += carry;
}

std::size_t BinCounts::bytes() const {
  return m_blocks.capacity() * sizeof(m_blocks[0]) + m_counts.capacity() * sizeof(m_counts[0]) +
         m_carries.size() * sizeof(*m_carries.begin());
}

void BinCounts::add(std::int32_t bin, std::uint64_t count) {
  const std::int32_t block = bin >> kBlockBits;
  const std::size_t index = blockIndex(block);
  makeBlock(index, block);
  addAt(index * kBlock + static_cast<std::size_t>(bin - block * kBlock), bin, count);
}

void BinCounts::add(std::int32_t first, std::span<const std::uint32_t> counts) {
  const auto end = first + static_cast<std::int32_t>(counts.size());
  std::size_t index = blockIndex(first >> kBlockBits);
  for (std::int32_t bin = first; bin < end;) {
    const std::int32_t block = bin >> kBlockBits;
    const std::int32_t blockEnd = std::min(end, (block + 1) * kBlock);
    const auto part = counts.subspan(static_cast<std::size_t>(bin - first),
                                     static_cast<std::size_t>(blockEnd - bin));
    // All of them, without a branch for each: most blocks are empty.
    if (std::reduce(part.begin(), part.end(), 0U, std::bit_or()) != 0) {
      while (index < m_blocks.size() && m_blocks[index] < block) ++index;
      makeBlock(index, block);
      const std::size_t slot = index * kBlock + static_cast<std::size_t>(bin - block * kBlock);
      for (std::size_t i = 0; i < part.size(); ++i) {
        const std::uint32_t sum = m_counts[slot + i] + part[i];
        m_counts[slot + i] = sum;
        if (sum < part[i]) ++m_carries[bin + static_cast<std::int32_t>(i)];
      }
    }
    bin = blockEnd;
  }
}

void BinCounts::add(const BinCounts& other) {
  for (std::size_t i = 0; i < other.m_blocks.size(); ++i) {
    add(other.m_blocks[i] * kBlock, std::span(other.m_counts).subspan(i * kBlock, kBlock));
  }
  for (const auto& [bin, carry] : other.m_carries) add(bin, carry << kCarryBits);
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
