#include "tensor/tensor_heap.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/large_pages.h"

namespace quantscope {
namespace {

// Address space that is asked for at once; its pages are taken when they are first written.
constexpr std::size_t kRegion = std::size_t{64} << 20;
// A smaller rest stays with the block before it.
constexpr std::size_t kSmallestGap = 1024;

constexpr std::size_t roundedUp(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

std::byte* map(std::size_t bytes, bool large) {
  // Maps one page more, so that an aligned part can be cut out.
  void* mapped =
      mmap(nullptr, bytes + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const start = static_cast<std::byte*>(mapped);
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t before = roundedUp(address, kLargePage) - address;
  if (before > 0) munmap(start, before);
  munmap(start + before + bytes, kLargePage - before);
  if (large) adviseLargePages(start + before, bytes);
  return start + before;
}

}  // namespace

TensorHeap::~TensorHeap() {
  shrinkTo(0);
}

TensorHeap::Block TensorHeap::take(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) return {};
  const std::size_t needed = roundedUp(std::max(bytes, kSmallestGap), kAlignment);
  const std::lock_guard lock(m_mutex);
  const auto fits = [&](const Region& region) { return region.largestGap >= needed; };
  auto region = std::ranges::find_if(m_regions, fits);
  if (region == m_regions.end()) region = addRegion(needed);
  if (region == m_regions.end()) return {};
  if (region->empty()) occupy(region->bytes);
  return cut(*region, needed);
}

void TensorHeap::occupy(std::size_t bytes) {
  m_occupiedBytes += bytes;
  m_mostOccupiedBytes = std::max(m_mostOccupiedBytes, m_occupiedBytes);
}

// The lowest gap that is large enough; there is one.
TensorHeap::Block TensorHeap::cut(Region& region, std::size_t bytes) {
  const auto gap =
      std::ranges::find_if(region.gaps, [&](const auto& entry) { return entry.second >= bytes; });
  const auto [start, length] = *gap;
  const std::size_t rest = length - bytes;
  const Block block{start, rest < kSmallestGap ? length : bytes};
  const auto next = region.gaps.erase(gap);
  if (block.capacity < length) region.gaps.emplace_hint(next, start + bytes, rest);
  if (length == region.largestGap) {
    region.largestGap = 0;
    for (const auto& entry : region.gaps) {
      region.largestGap = std::max(region.largestGap, entry.second);
    }
  }
  return block;
}

// m_regions.end() where there is no memory.
std::vector<TensorHeap::Region>::iterator TensorHeap::addRegion(std::size_t bytes) {
  const std::size_t size = std::max(kRegion, roundedUp(bytes, kLargePage));
  const std::size_t most = std::max(m_mostOccupiedBytes, m_occupiedBytes + size);
  shrinkTo(most - size);
  std::byte* const start = map(size, m_regions.empty());
  if (start == nullptr) return m_regions.end();
  m_mappedBytes += size;
  const auto next =
      std::ranges::find_if(m_regions, [&](const Region& region) { return region.start > start; });
  return m_regions.insert(next, {start, size, {{start, size}}, size});
}

void TensorHeap::giveBack(Block block) {
  const std::lock_guard lock(m_mutex);
  const auto after = std::ranges::find_if(
      m_regions, [&](const Region& region) { return region.start > block.data; });
  Region& region = *(after - 1);
  auto next = region.gaps.lower_bound(block.data);
  if (next != region.gaps.end() && next->first == block.data + block.capacity) {
    block.capacity += next->second;
    next = region.gaps.erase(next);
  }
  if (next != region.gaps.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == block.data) {
      block = {before->first, before->second + block.capacity};
      region.gaps.erase(before);
    }
  }
  region.gaps.emplace_hint(next, block.data, block.capacity);
  region.largestGap = std::max(region.largestGap, block.capacity);
  if (!region.empty()) return;
  m_occupiedBytes -= region.bytes;
  shrinkTo(m_mostOccupiedBytes);
}

std::size_t TensorHeap::idleBytes() const {
  const std::lock_guard lock(m_mutex);
  std::size_t bytes = 0;
  for (const Region& region : m_regions) bytes += region.empty() ? region.bytes : 0;
  return bytes;
}

void TensorHeap::restartPeak() {
  const std::lock_guard lock(m_mutex);
  m_mostOccupiedBytes = m_occupiedBytes;
  shrinkTo(0);
}

// Frees empty regions, the highest first, until no more than `bytes` are mapped.
void TensorHeap::shrinkTo(std::size_t bytes) {
  for (std::size_t i = m_regions.size(); i-- > 0 && m_mappedBytes > bytes;) {
    if (m_regions[i].empty()) unmap(i);
  }
}

void TensorHeap::unmap(std::size_t index) {
  const Region& region = m_regions[index];
  munmap(region.start, region.bytes);
  m_mappedBytes -= region.bytes;
  m_regions.erase(m_regions.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace quantscope
